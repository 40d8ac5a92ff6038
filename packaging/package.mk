# Installing and packaging. Included by the Makefile; `make help` has the targets.
DATADIR     ?= $(PREFIX)/share
MANDIR      ?= $(DATADIR)/man
DOCDIR      ?= $(DATADIR)/doc/tpucost
UNITDIR     ?= $(PREFIX)/lib/systemd/system
# also in ~/.local, systemd reads it from here
USERUNITDIR ?= $(DATADIR)/systemd/user
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
BASHDIR     ?= $(DATADIR)/bash-completion/completions
ZSHDIR      ?= $(DATADIR)/zsh/site-functions
FISHDIR     ?= $(DATADIR)/fish/vendor_completions.d

PLACES = B='$(B)' DESTDIR='$(DESTDIR)' BINDIR='$(BINDIR)' LIBEXECDIR='$(LIBEXECDIR)' \
	MANDIR='$(MANDIR)' DOCDIR='$(DOCDIR)' UNITDIR='$(UNITDIR)' USERUNITDIR='$(USERUNITDIR)' \
	SYSUSERSDIR='$(SYSUSERSDIR)' \
	BASHDIR='$(BASHDIR)' ZSHDIR='$(ZSHDIR)' FISHDIR='$(FISHDIR)'

.PHONY: install install-files list-files uninstall deb dist test-deb test-dist test-container
install: all
	$(Q)$(MAKE) --no-print-directory install-files
# installs what was built, without rebuilding
install-files:
	$(Q)$(PLACES) sh packaging/files.sh install
list-files:
	$(Q)$(PLACES) sh packaging/files.sh list
uninstall:
	$(Q)$(PLACES) sh packaging/files.sh uninstall
# Debian packages in build/deb/, built from a copy of the tree; ARCH="amd64 arm64" for several architectures.
ARCH ?= $(shell dpkg --print-architecture 2>/dev/null)
deb: $(DEPS)
	$(Q)sh tests/support/packages.sh deb
	$(Q)for arch in $(ARCH); do \
		ARCH=$$arch B='$(B)' VERSION='$(VERSION)' MAKE='$(MAKE)' sh packaging/deb.sh || exit; done
# Tarballs of static programs in build/dist/.
dist: $(DEPS)
	$(Q)sh tests/support/packages.sh dist
	$(Q)for arch in $(ARCH); do \
		ARCH=$$arch B='$(B)' VERSION='$(VERSION)' MAKE='$(MAKE)' sh packaging/dist.sh || exit; done
test-deb: deb $(B)/sandbox
	$(Q)B=$(B) VERSION='$(VERSION)' sh tests/packaging/deb.sh
test-dist: dist $(B)/sandbox
	$(Q)B=$(B) VERSION='$(VERSION)' sh tests/packaging/dist.sh
test-container: $(B)/sandbox
	$(Q)B=$(B) VERSION='$(VERSION)' sh tests/packaging/container.sh
