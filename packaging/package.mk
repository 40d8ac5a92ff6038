# Installing and packaging. Included by the Makefile; `make help` has the targets.
DATADIR     ?= $(PREFIX)/share
MANDIR      ?= $(DATADIR)/man
DOCDIR      ?= $(DATADIR)/doc/tpucost
UNITDIR     ?= $(PREFIX)/lib/systemd/system
USERUNITDIR ?= $(PREFIX)/lib/systemd/user
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
BASHDIR     ?= $(DATADIR)/bash-completion/completions
ZSHDIR      ?= $(DATADIR)/zsh/site-functions
FISHDIR     ?= $(DATADIR)/fish/vendor_completions.d

PLACES = B='$(B)' DESTDIR='$(DESTDIR)' BINDIR='$(BINDIR)' LIBEXECDIR='$(LIBEXECDIR)' \
	MANDIR='$(MANDIR)' DOCDIR='$(DOCDIR)' UNITDIR='$(UNITDIR)' USERUNITDIR='$(USERUNITDIR)' \
	SYSUSERSDIR='$(SYSUSERSDIR)' \
	BASHDIR='$(BASHDIR)' ZSHDIR='$(ZSHDIR)' FISHDIR='$(FISHDIR)'

.PHONY: install install-files uninstall deb test-deb
install: all
	$(Q)$(MAKE) --no-print-directory install-files
# installs what was built, without rebuilding
install-files:
	$(Q)$(PLACES) sh packaging/files.sh install
uninstall:
	$(Q)$(PLACES) sh packaging/files.sh uninstall
# A Debian package in build/deb/, built from a copy of the tree.
deb: $(DEPS)
	$(Q)sh tests/support/packages.sh deb
	$(Q)VERSION='$(VERSION)' sh packaging/deb.sh
test-deb: deb $(B)/sandbox
	$(Q)B=$(B) VERSION='$(VERSION)' sh tests/deb/run.sh
