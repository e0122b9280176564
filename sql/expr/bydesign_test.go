package expr

func init() {
	byDesign = append(byDesign,
		difference{`^[LR]PAD\('a', 5, ''\)`, "^$", "padded with nothing, a text is empty in MySQL 8 and NULL in MariaDB"},
		difference{`TIMESTAMP'2024-02-29 10:11:12.5'`, `13$|9`, "a datetime as a number is rounded in MySQL, and cut in MariaDB"},
		difference{`^(ROUND|TRUNCATE)\((TIME|-0\.5, 2|9{20}\.5, 2|1\.2567, |1\.999, )`, `^-?\d+(\.\d+)?$`, "MariaDB adds digits to a decimal, and keeps a date one; MySQL 8 rounds as a double what is no number"},
		difference{`^CAST\('ÄB c' AS BINARY\(2\)\)`, `^Ä$`, "the length is in bytes"},
		difference{`^CAST\(.* AS UNSIGNED\)|^CONVERT\(.* UNSIGNED`, `^184467440737\d+$`, "a negative number is its complement, not 0"},
		difference{`^(1 <<|16 >>) -9223372036854775808$`, `^0$`, "a shift is an unsigned number of bits, all 64 of it"},
		difference{`^(GREATEST|LEAST)\(`, "", "a mix of strings and numbers is compared as strings in MySQL 8"},
		difference{`%|MOD`, `^0\.0$`, "MariaDB has a negative zero"},
		difference{`^DATE'2024-01-01' >= (18446744073709551615|99999999999999999999.5)$`, `^0$`, "a date and a number that is no date compare as doubles"},
		difference{`^SHA2\('abc', NULL\)`, `^NULL$`, "NULL is no length"},
		difference{`^LAST_INSERT_ID\(9{20}\.5\)`, `^18446744073709551615$`, "a positive decimal literal is unsigned"},
		difference{`^HEX\(COMPRESS\(`, `^[0-9A-F]{2}000000789C[0-9A-F]+$`, "zlib's stream of the same text has other blocks"},
		difference{`^CAST\(.*[.]\d+'? AS (DATETIME|TIME)`, `^-?[0-9: -]+\d(\.\d+)?$`, "a fraction is rounded in MySQL, and cut in MariaDB"},
		difference{`^CAST\([-0-9.]+ AS TIME`, `^NULL$`, "a number that is no time is NULL, text is cut"},
		difference{`^(ADDTIME|SUBTIME|MICROSECOND|TIME|TIME_FORMAT|CAST)\(.*\d{19}`, "", "the longest time has no fraction in MySQL"},
		difference{`^SLEEP\(`, `^1$|Incorrect arguments`, "it ends with the statement; NULL and negative numbers are refused"},
		difference{`^BENCHMARK\(`, `^0$`, "it ends with the statement"},
		difference{`^IS_IPV`, `^NULL$`, "of NULL, NULL"},
		difference{`^(CEIL|CEILING|FLOOR)\(TIME`, `^-?\d+$`, "a time is a number there"},
		difference{`^FORMAT\(12345`, `^12,345\.678000000000000000000000000000$`, "a number has at most 30 decimals"},
		difference{`^(MAKE|EXPORT)_SET\(TIMESTAMP`, "", "as above"},
		difference{`^REGEXP_SUBSTR`, `^NULL$`, "without a match MySQL 8 returns NULL, MariaDB an empty string"},
		difference{`(?i)regexp|rlike`, `cannot be used in conjunction|Illegal argument`, "ICU refuses binary strings and empty patterns"},
	)
}
