/* Which addresses a message of ours may be sent to. A webhook's URL is the user's, and what a
 * name in it resolves to is somebody else's: neither may make this machine talk to its cloud's
 * metadata server or to what stands beside it in a private network.
 *
 * Special addresses: IANA's registries for IPv4 and IPv6 (RFC 6890 and what it lists), RFC 6598
 * (100.64/10), 6052 and 8215 (NAT64), 3056 (6to4), 4291 (mapped); fd20:ce::254 and fd00:ec2::254
 * are the metadata servers of Google and Amazon. */
#ifndef TPUCOST_BASE_URL_NETGUARD_H
#define TPUCOST_BASE_URL_NETGUARD_H

#include "base/err.h"

struct sockaddr;

/* May we connect there? Loopback: yes. Link-local, metadata, multicast, unspecified, broadcast,
 * reserved and documentation addresses: never. Private ones: with `allow_private`. IPv6 forms of
 * IPv4 addresses are what the address inside them is. Anything but IPv4 and IPv6: no. */
bool net_address_allowed(const struct sockaddr *sa, bool allow_private);
bool net_address_is_loopback(const struct sockaddr *sa);

/* May this URL be configured as somewhere to send to? https anywhere, plain http to this machine
 * only; addresses in it are judged as above, and must be in their usual form; names of metadata
 * servers are refused. Names are judged again when they have become addresses. E_CONFIG; the
 * message shows no more of the URL than its host, for the rest can be the secret. */
enum err_code net_url_check(const char *url, bool allow_private, struct err *e) must_check;

#endif
