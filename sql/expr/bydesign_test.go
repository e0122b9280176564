package expr

func init() {
	byDesign = append(byDesign,
		difference{`^[LR]PAD\('a', 5, ''\)`, "^$", "padded with nothing, a text is empty in MySQL 8 and NULL in MariaDB"},
		difference{`^(BIN|OCT)\(0x|^CONV\(0x`, "^[01]+$|^60542$", "a hexadecimal literal is a number"},
		difference{`TIMESTAMP'2024-02-29 10:11:12.5'`, `13$|9`, "a datetime as a number is rounded in MySQL, and cut in MariaDB"},
		difference{`^SUBSTRING_INDEX\(.*(18446744073709551615|-9223372036854775808|99999999999999999999.5)`, `^a\.b\.c$`, "MariaDB cuts the count to 32 bits"},
		difference{`^(MAKE|EXPORT)_SET\(TIMESTAMP`, "", "as above"},
		difference{`^REGEXP_SUBSTR`, `^NULL$`, "without a match MySQL 8 returns NULL, MariaDB an empty string"},
		difference{`(?i)regexp|rlike`, `cannot be used in conjunction|Illegal argument`, "ICU refuses binary strings and empty patterns"},
	)
}
