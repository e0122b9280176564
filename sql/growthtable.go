package sql

import (
	"isochron/sql/legacy"
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// decision is what is known of how large a function's results are.
type decision struct {
	guess guess                               // evaluate the arguments first, and refuse by this
	check func(name string, args []any) error // refuse arguments
	after bool                                // no longer than the arguments but for a small factor: looked at afterwards
}

// small functions give numbers, moments, short texts, or no more than one of their
// arguments.
const small = `abs ascii asin atan atan2 acos avg bin bin_to_uuid bit_and bit_count bit_length bit_or bit_xor ceil ceiling
char charset char_length character_length coalesce coercibility collation connection_id conv convert_tz cos cot count
crc32 curdate current_date current_role current_time current_timestamp current_user curtime database date datediff datetime
date_add date_sub day dayname dayofmonth dayofweek dayofyear degrees elt exp extract field find_in_set first floor
found_rows from_base64 from_days from_unixtime get_format greatest group_concat gtid_subtract hour icu_version if ifnull
inet6_aton inet6_ntoa inet_aton inet_ntoa instr is_binary is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 is_uuid isnull
json_arrayagg json_objectagg json_contains json_contains_path json_depth json_length json_overlaps json_schema_valid
json_storage_free json_storage_size json_type json_valid lag last last_day last_insert_id last_insert_uuid lead least left length
ln load_file localtime localtimestamp locate log log10 log2 ltrim max md5 microsecond mid min minute mod month monthname
now ntile nullif oct octet_length ord percent_rank pi pow power quarter radians rand random_bytes rank dense_rank row_number
first_value last_value any_value reverse right row_count rtrim schema second session_user
sha sha1 sha2 sign sin sleep soundex sqrt st_geohash str_to_date strcmp subdate adddate substr substring substring_index sum std
stddev stddev_pop stddev_samp sysdate system_user tan time time_to_sec timediff timestamp timestampadd timestampdiff to_days
trim uncompressed_length unhex unix_timestamp user utc_date utc_time utc_timestamp uuid uuid_short uuid_to_bin
validate_password_strength values var_pop var_samp variance version week weekday weekofyear year yearweek grouping
get_lock is_free_lock is_used_lock release_lock release_all_locks
vec_distance vec_distance_cosine vec_distance_euclidean vec_distance_l2_squared distance`

// shortly longer functions give a few times what they are given.
const fewTimes = `lcase lower ucase upper compress format weight_string
json_extract json_keys json_quote json_remove json_search json_unquote json_value json_schema_validation_report
vec_fromtext vec_totext string_to_vector to_vector vector_to_string from_vector bin_to_vector`

// summing functions give about the sum of their arguments.
const summing = `concat json_array json_array_append json_array_insert json_insert json_merge json_merge_patch
json_merge_preserve json_object json_replace json_set json_table insert make_set`

// spatial functions read geometries, and believe the lengths in them.
const spatial = `geomcollection geometrycollection linestring multilinestring multipoint multipolygon point polygon
st_area st_asbinary st_asgeojson st_astext st_aswkb st_aswkt st_centroid st_contains st_convexhull st_difference st_dimension st_disjoint
st_distance st_distance_sphere st_endpoint st_envelope st_equal st_equals st_exteriorring st_geomcollfromtext st_geomcollfromtxt
st_geomcollfromwkb st_geometrycollectionfromtext st_geometrycollectionfromwkb st_geometryfromtext st_geometryfromwkb
st_geometryn st_geometrytype st_geomfromgeojson st_geomfromtext st_geomfromwkb st_interiorringn st_intersection st_intersects
st_isclosed st_isempty st_issimple st_isvalid st_latfromgeohash st_latitude st_length st_linefromtext st_linefromwkb
st_linestringfromtext st_linestringfromwkb st_longfromgeohash st_longitude st_mlinefromtext st_mlinefromwkb st_mpointfromtext
st_mpointfromwkb st_mpolyfromtext st_mpolyfromwkb st_multilinestringfromtext st_multilinestringfromwkb
st_multipointfromtext st_multipointfromwkb st_multipolygonfromtext st_multipolygonfromwkb st_numgeometries st_numinteriorring
st_numinteriorrings st_numpoints st_overlaps st_perimeter st_pointfromgeohash st_pointfromtext st_pointfromwkb st_pointn st_polyfromtext
st_polyfromwkb st_polygonfromtext st_polygonfromwkb st_simplify st_srid st_startpoint st_swapxy st_symdifference st_touches
st_transform st_union st_validate st_within st_x st_y st_crosses st_buffer`

// decisions are all functions of the engine that may be called. A test walks the
// engine's catalogue: one that is missing here fails it, and cannot be called.
var decisions = decided()

func decided() map[string]decision {
	out := map[string]decision{}
	for _, name := range strings.Fields(small) {
		out[name] = decision{}
	}
	for _, name := range strings.Fields(fewTimes) {
		out[name] = decision{after: true}
	}
	for _, name := range []string{"date_format", "time_format"} {
		out[name] = decision{after: true, check: checkFormat}
	}
	for _, name := range strings.Fields(summing) {
		out[name] = decision{guess: sum}
	}
	for _, name := range strings.Fields(spatial) {
		out[name] = decision{check: checkGeometry, guess: sum}
	}
	for _, name := range []string{"st_intersects", "st_within", "st_equals", "st_equal"} {
		out[name] = decision{check: checkGeometry}
	}
	twice := decision{guess: func(a []any) int64 { return product(2, sizeAt(a, 0)) + 2 }}
	out["hex"], out["quote"], out["to_base64"] = twice, twice, twice
	out["repeat"] = decision{guess: func(a []any) int64 { return product(sizeAt(a, 0), countAt(a, 1)) }}
	out["space"] = decision{guess: func(a []any) int64 { return countAt(a, 1) }} // it is a repeat (newSpace)
	padded := decision{guess: func(a []any) int64 { return product(4, countAt(a, 1)) }}
	out["lpad"], out["rpad"] = padded, padded
	out["concat_ws"] = decision{guess: func(a []any) int64 { return sum(a) + product(sizeAt(a, 0), int64(len(a))) }}
	out["export_set"] = decision{guess: func(a []any) int64 {
		return product(64, max(sizeAt(a, 1), sizeAt(a, 2))+sizeAt(a, 3)+1)
	}}
	out["replace"] = decision{guess: guessReplace}
	out["regexp_replace"] = decision{check: checkRegexp, guess: func(a []any) int64 {
		return sizeAt(a, 0) + product(sizeAt(a, 0)+1, sizeAt(a, 2))
	}}
	for _, name := range []string{"regexp_instr", "regexp_like", "regexp_substr"} {
		out[name] = decision{check: checkRegexp}
	}
	out["json_pretty"] = decision{guess: func(a []any) int64 {
		if text := textAt(a, 0); text != "" {
			values := strings.Count(text, ",") + strings.Count(text, "[") + strings.Count(text, "{") + 1
			return int64(len(text)) + product(int64(values), int64(4*nestedText(text)+2))
		}
		if len(a) == 0 {
			return 0
		}
		e := legacy.SizeOfJSON(a[0])
		return e.Bytes + product(int64(e.Nodes), int64(4*e.Depth))
	}}
	out["uncompress"] = decision{guess: guessUncompress}
	digits := decision{check: checkDigits}
	out["round"], out["truncate"] = digits, digits
	return out
}

func guessReplace(a []any) int64 {
	text, from, to := textAt(a, 0), textAt(a, 1), sizeAt(a, 2)
	if from == "" || to <= int64(len(from)) {
		return int64(len(text))
	}
	return int64(len(text)) + product(int64(strings.Count(text, from)), to)
}

// guessUncompress is the length in the header; the engine makes room for that much.
func guessUncompress(a []any) int64 {
	b := textAt(a, 0)
	if len(b) < 4 {
		return 0
	}
	return int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 | int64(b[3])<<24
}

// digitsMost is how far from the point a number may be rounded: beyond it the engine
// makes numbers of that many digits.
const digitsMost = 1000

func checkDigits(name string, a []any) error {
	if n := numberAt(a, 1); n > digitsMost || n < -digitsMost {
		return errGrows(name, "at most "+strconv.Itoa(digitsMost)+" digits")
	}
	return nil
}

// formatMost is how long the format of a moment is, in bytes: the engine reads it in the
// square of that time.
const formatMost = 16 << 10

func checkFormat(name string, a []any) error {
	if sizeAt(a, 1) > formatMost {
		return errGrows(name, "a format of at most "+strconv.Itoa(formatMost)+" bytes")
	}
	return nil
}

// sum is that of the arguments' sizes.
func sum(args []any) (n int64) {
	for _, a := range args {
		n += legacy.SizeOfValue(a) + 4
	}
	return n
}

func product(a, b int64) int64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

func sizeAt(args []any, i int) int64 {
	if i >= len(args) {
		return 0
	}
	switch args[i].(type) {
	case nil, string, []byte:
		return legacy.SizeOfValue(args[i])
	}
	return max(legacy.SizeOfValue(args[i]), 24) // a number has so many digits
}

func textAt(args []any, i int) string {
	if i >= len(args) {
		return ""
	}
	switch v := args[i].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// countAt is an argument that says how many there shall be. What is not known is
// taken for as many as can be.
func countAt(args []any, i int) int64 {
	n := numberAt(args, i)
	switch {
	case math.IsNaN(n) || n <= 0:
		return 0
	case n > math.MaxInt32:
		return math.MaxInt32
	}
	return int64(math.Ceil(n))
}

func numberAt(args []any, i int) float64 {
	if i >= len(args) || args[i] == nil {
		return 0
	}
	var text string
	switch v := args[i].(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	case string:
		text = v
	case int8, int16, int32, int, uint8, uint16, uint32, uint64, uint, float32, *apd.Decimal:
		text = asText(v)
	case []byte:
		text = string(v)
	case bool:
		return 1
	default:
		return math.MaxInt32 // a moment, say, of which the engine makes a large number
	}
	// As the engine reads numbers: what stands at the beginning.
	text = strings.TrimSpace(text)
	for end := len(text); end > 0; end-- {
		if n, err := strconv.ParseFloat(text[:end], 64); err == nil || n != 0 {
			return n
		}
		if end > 400 {
			end = 400
		}
	}
	return 0
}
