package dialect

import "strings"

// A MariaDB or MySQL takes a name that it has not built in for a stored function
// there, and runs it for the agent's account: it reads and writes what that account may, whatever
// the client may. So only names go there that all of them have built in: MariaDB from 10.5 on, and
// MySQL from 8.0 on. builtin_test.go holds the list against a server. What is not in it, or asks
// the server's session, its files, its locks or its clock's sleep, the gateway computes, or it is
// refused.

// builtins are those functions, in lower case.
var builtins = map[string]bool{}

func init() {
	for _, names := range []string{builtinNumbers, builtinTexts, builtinTimes, builtinChoices, builtinSums, builtinJSON, builtinOthers, builtinShapes} {
		for _, n := range strings.Fields(names) {
			builtins[n] = true
		}
	}
}

const (
	builtinNumbers = `abs acos asin atan atan2 ceil ceiling conv cos cot crc32 degrees exp floor ln log log10 log2 mod pi pow power radians rand round
		sign sin sqrt tan truncate bit_count`
	builtinTexts = `ascii bin bit_length char char_length character_length concat concat_ws elt export_set field find_in_set format from_base64 hex insert
		instr lcase left length locate lower lpad ltrim make_set mid oct octet_length ord position quote regexp_instr regexp_replace regexp_substr repeat
		replace reverse right rpad rtrim soundex space strcmp substr substring substring_index to_base64 trim ucase unhex upper weight_string charset
		collation coercibility`
	builtinTimes = `adddate addtime convert_tz curdate current_date current_time current_timestamp curtime date date_add date_format date_sub datediff day
		dayname dayofmonth dayofweek dayofyear extract from_days from_unixtime get_format hour last_day localtime localtimestamp makedate maketime
		microsecond minute month monthname now period_add period_diff quarter sec_to_time second str_to_date subdate subtime sysdate time time_format
		time_to_sec timediff timestamp timestampadd timestampdiff to_days to_seconds unix_timestamp utc_date utc_time utc_timestamp week weekday weekofyear
		year yearweek`
	builtinChoices = `if ifnull nullif coalesce isnull greatest least interval cast convert`
	builtinSums    = `avg bit_and bit_or bit_xor count group_concat max min std stddev stddev_pop stddev_samp sum var_pop var_samp variance json_arrayagg
		json_objectagg row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value`
	builtinJSON = `json_array json_array_append json_array_insert json_contains json_contains_path json_depth json_extract json_insert json_keys json_length
		json_merge_patch json_merge_preserve json_object json_quote json_remove json_replace json_search json_set json_type json_unquote json_valid`
	builtinOthers = `inet_aton inet_ntoa inet6_aton inet6_ntoa is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 uuid uuid_short md5 sha sha1 sha2 aes_encrypt
		aes_decrypt compress uncompress uncompressed_length extractvalue updatexml values`
	builtinShapes = `st_area st_astext st_aswkb st_buffer st_centroid st_contains st_convexhull st_crosses st_difference st_dimension st_disjoint st_distance
		st_endpoint st_envelope st_equals st_exteriorring st_geometryn st_geometrytype st_geomfromtext st_geomfromwkb st_interiorringn st_intersection
		st_intersects st_isclosed st_isempty st_issimple st_length st_linefromtext st_numgeometries st_numinteriorrings st_numpoints st_overlaps
		st_pointfromtext st_pointn st_polyfromtext st_srid st_startpoint st_symdifference st_touches st_union st_within st_x st_y linestring polygon
		multipoint multilinestring multipolygon geometrycollection`
)
