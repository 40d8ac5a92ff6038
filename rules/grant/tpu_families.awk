# Generates build/gen/tpu_families.h from rules/grant/tpu_families.csv.
BEGIN { FS = "," }
function fail(why) {
	printf "%s:%d: %s\n", FILENAME, FNR, why > "/dev/stderr"
	failed = 1
	exit 1
}
/^#/ { next }
!columns { columns = NF; next }
NF != columns { fail("expected " columns " fields, found " NF) }
$0 !~ /^[a-zA-Z0-9_ ,\/-]+$/ { fail("strange text") }
$3 !~ /^[12]$/ || $4 !~ /^[1-8]( [1-8])*$/ || $5 !~ /^(yes)?$/ || $14 !~ /^[14]$/ { fail("bad number or flag") }
{
	row[++n] = sprintf("F(\"%s\", \"%s\", %d, \"%s\", %d, \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", %d)",
		$1, $2, $3, $4, $5 == "yes", $6, $7, $8, $9, $10, $11, $12, $13, $14)
	zones = split($15, zone, " ")
	for (i = 1; i <= zones; i++) {
		mark = zone[i]
		if (sub(/\/.*/, "", zone[i]) == 0)
			mark = ""
		sub(/.*\//, "", mark)
		if (mark !~ /^(device|pod)?$/ || zone[i] !~ /^[a-z]+-[a-z]+[0-9]+-[a-z0-9]+$/)
			fail("bad zone " zone[i])
		place[++places] = sprintf("Z(\"%s\", \"%s\", %d, %d)", $1, zone[i],
			$5 == "yes" && mark != "pod", mark != "device")
	}
	names = names (n > 1 ? " " : "") $1
}
END {
	if (failed)
		exit 1
	print "/* Made by rules/grant/tpu_families.awk; do not edit. */"
	print "#define TPU_FAMILY_NAMES \"" names "\"\n"
	print "/* F(name, aliases, cores_per_chip, one_host, device, machines, quota, api, direct, disk, compute, topologies, sku, sku_chips) */"
	printf "#define TPU_FAMILIES(F)"
	for (i = 1; i <= n; i++)
		printf " \\\n\t%s", row[i]
	print "\n\n/* Z(family, zone, devices, slices): what exists there */"
	printf "#define TPU_ZONES(Z)"
	for (i = 1; i <= places; i++)
		printf " \\\n\t%s", place[i]
	print ""
}
