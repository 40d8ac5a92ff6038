/* Scripts that call `tpucost complete` for the candidates of a shell. */
#include "cli/cmd.h"
#include "cli/out/out.h"

#include <string.h>

/* Readline also ends words at "=" and ":": the script joins the words again, and returns only the
 * part of a candidate after the last separator. Works without the bash-completion package. */
static const char bash[] =
	"# bash completion for tpucost\n"
	"_tpucost()\n"
	"{\n"
	"\tlocal line word cur=\"\" keep i cand\n"
	"\tlocal -a words=()\n"
	"\tlocal glue=\"\"\n"
	"\tfor ((i = 1; i <= COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\tif [[ $word == [=:]* && ${#words[@]} -gt 0 ]] || [[ -n $glue ]]; then\n"
	"\t\t\twords[${#words[@]} - 1]+=$word\n"
	"\t\telse\n"
	"\t\t\twords+=(\"$word\")\n"
	"\t\tfi\n"
	"\t\tglue=\"\"\n"
	"\t\t[[ $word == *[=:] ]] && glue=1\n"
	"\tdone\n"
	"\tcur=${words[${#words[@]} - 1]}\n"
	"\tkeep=\"\"\n"
	"\t[[ $COMP_WORDBREAKS == *=* && $cur == *=* ]] && keep=${cur%\"${cur##*=}\"}\n"
	"\t[[ $COMP_WORDBREAKS == *:* && $cur == *:* ]] && keep=${cur%\"${cur##*:}\"}\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tcand=${line%%$'\\t'*}\n"
	"\t\tif [[ $cand == :files ]]; then\n"
	"\t\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\t\twhile IFS= read -r cand; do\n"
	"\t\t\t\tCOMPREPLY+=(\"$cand\")\n"
	"\t\t\tdone < <(compgen -f -- \"${cur#\"$keep\"}\")\n"
	"\t\t\tcontinue\n"
	"\t\tfi\n"
	"\t\t[[ $cand == *[,:] ]] && compopt -o nospace 2>/dev/null\n"
	"\t\tCOMPREPLY+=(\"${cand#\"$keep\"}\")\n"
	"\tdone < <(\"${COMP_WORDS[0]}\" complete -- \"${words[@]}\" 2>/dev/null)\n"
	"}\n"
	"complete -F _tpucost tpucost\n";

static const char zsh[] =
	"#compdef tpucost\n"
	"_tpucost() {\n"
	"\tlocal line\n"
	"\tlocal -a plain described\n"
	"\tlocal files=0\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tif [[ $line == :files ]]; then\n"
	"\t\t\tfiles=1\n"
	"\t\telse\n"
	"\t\t\tplain+=(\"${line%%$'\\t'*}\")\n"
	"\t\t\tdescribed+=(\"${line/$'\\t'/  -- }\")\n"
	"\t\tfi\n"
	"\tdone < <(\"${words[1]}\" complete -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)\n"
	"\t(( files )) && _files\n"
	"\t(( $#plain )) && compadd -l -d described -- \"${plain[@]}\"\n"
	"}\n"
	"if [ \"$funcstack[1]\" = \"_tpucost\" ]; then\n"
	"\t_tpucost \"$@\"\n"
	"elif (( $+functions[compdef] )); then\n"
	"\tcompdef _tpucost tpucost\n"
	"fi\n";

static const char fish[] =
	"# fish completion for tpucost\n"
	"function __tpucost_complete\n"
	"\tset -l words (commandline -opc) (commandline -ct)\n"
	"\tset -l lines (command $words[1] complete -- $words[2..-1] 2>/dev/null)\n"
	"\tif contains -- :files $lines\n"
	"\t\t__fish_complete_path (commandline -ct)\n"
	"\tend\n"
	"\tstring match -v -- :files $lines\n"
	"end\n"
	"complete -c tpucost -f -a '(__tpucost_complete)'\n";

static const struct {
	const char *name, *text;
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

int cmd_completion(struct app *app, struct err *e)
{
	const char *name = app->n_args ? app->args[0] : "", *near;
	cleanup(sbuf_done) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(shells); i++) {
		if (strcmp(name, shells[i].name) != 0)
			continue;
		sbuf_adds(&b, shells[i].text);
		return out_write(&b, e) ? cmd_fail(e) : EXIT_FINE;
	}
	near = NEAR_OF(name, shells, ARRAY_LEN(shells), name);
	err_set(e, E_USAGE, "completion: expected bash, zsh or fish");
	if (near)
		near_fix(e, near, "");
	return cmd_fail(e);
}
