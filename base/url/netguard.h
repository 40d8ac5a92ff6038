/* Addresses that messages may be sent to. The user chooses a webhook's URL, and a third party what
 * its name resolves to: neither may make this machine connect to its cloud's metadata server or to
 * other machines of a private network.
 *
 * Special addresses: IANA's registries for IPv4 and IPv6 (RFC 6890 and its list), RFC 6598
 * (100.64/10), 6052 and 8215 (NAT64), 3056 (6to4), 4291 (mapped); fd20:ce::254 and fd00:ec2::254
 * are the metadata servers of Google and Amazon. */
#ifndef TPUCOST_BASE_URL_NETGUARD_H
#define TPUCOST_BASE_URL_NETGUARD_H

#include "base/err.h"

#include <netinet/in.h>

/* Is a connection to this address permitted? Loopback: yes. Link-local, metadata, multicast,
 * unspecified, broadcast, reserved and documentation addresses: never. Private ones: with
 * `allow_private`. IPv6 forms of IPv4 addresses are treated like the embedded address. Anything but
 * IPv4 and IPv6: no. */
bool net_address_allowed(const struct sockaddr *sa, bool allow_private);
bool net_address_is_loopback(const struct sockaddr *sa);

union net_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* "127.0.0.1:8420", "[::1]:8420" or "localhost:8420", where a server is to listen. */
bool net_listen_parse(const char *text, union net_address *out);

/* Check a URL that is configured as a destination: https to any host, plain http to this machine
 * only; addresses in it are checked as above, and must be in their usual form; names of metadata
 * servers are refused. Names are checked again after they were resolved. E_CONFIG; the message
 * shows only the host of the URL, because the rest can be secret. */
enum err_code net_url_check(const char *url, bool allow_private, struct err *e) must_check;

#endif
