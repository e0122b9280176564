package expr

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"vitess.io/vitess/go/sqltypes"
)

func init() {
	register(&Function{Name: "FORMAT", Min: 2, Max: 3, Type: textType, Nulls: true, Eval: formatNumber})
}

// locale is how numbers are written: the point, the separator of groups, and the sizes of the last group and the others.
type locale struct {
	point, separator string
	last, others     int
}

var english = locale{".", ",", 3, 3}

// locales are those of MySQL in which numbers are not written as in English.
var locales = func() map[string]locale {
	out := map[string]locale{}
	for _, group := range []struct {
		locale
		names string
	}{
		{english, "ar_ae ar_bh ar_dz ar_eg ar_in ar_iq ar_jo ar_kw ar_lb ar_ly ar_ma ar_om ar_qa ar_sd ar_sy ar_tn ar_ye en_au en_ca en_gb en_nz en_ph en_us en_za en_zw es_do es_gt es_hn es_mx es_ni es_pa es_pe es_pr es_sv es_us gu_in he_il hi_in ja_jp ko_kr ms_my th_th ur_pk zh_cn zh_hk zh_tw"},
		{locale{".", "", 3, 3}, "ar_sa sr_rs sr_yu"},
		{locale{",", ".", 3, 3}, "be_by da_dk de_be de_de de_lu es_ar es_bo es_cl es_co es_ec es_es es_py es_uy es_ve fo_fo hu_hu id_id is_is lt_lt mn_mn nb_no no_no ro_ro ru_ua sq_al tr_tr uk_ua vi_vn"},
		{locale{",", "", 3, 3}, "bg_bg ca_es de_at el_gr eu_es fr_be fr_ca fr_ch fr_fr fr_lu gl_es hr_hr it_it nl_be nl_nl pl_pl pt_br pt_pt sl_si"},
		{locale{",", " ", 3, 3}, "cs_cz es_cr et_ee fi_fi lv_lv mk_mk ru_ru sk_sk sv_fi sv_se"},
		{locale{".", "'", 3, 3}, "de_ch"},
		{locale{",", "'", 3, 3}, "it_ch rm_ch"},
		{locale{".", ",", 3, 2}, "en_in ta_in te_in"},
	} {
		for name := range strings.FieldsSeq(group.names) {
			out[name] = group.locale
		}
	}
	return out
}()

// formatNumber is FORMAT: a number with so many decimals, its digits in groups.
func formatNumber(c *Call) (Value, error) {
	l := c.locale(2)
	if c.IsNull(1) {
		return Null, nil
	}
	if c.IsNull(0) {
		c.Integer(1)
		return Null, nil
	}
	digits := int(min(max(int32(c.Integer(1)), 0), maxScale))
	text := c.fixed(0, digits)
	if text == "" {
		return Null, nil
	}
	return c.Text(l.write(text)), nil
}

// locale is that which the i-th argument names; an unknown one is English, after warning 1649.
func (c *Call) locale(i int) locale {
	if i >= len(c.Args) {
		return english
	}
	name := "NULL"
	if !c.IsNull(i) {
		name = c.Str(i)
		if l, ok := locales[strings.ToLower(name)]; ok {
			return l
		}
	}
	c.Warn(1649, "Unknown locale: '"+shorten(name)+"'")
	return english
}

// fixed writes the i-th argument with so many decimals; "" if it is no number.
func (c *Call) fixed(i, digits int) string {
	v := c.numeric(i)
	if sqltypes.IsIntegral(v.Type()) || sqltypes.IsDecimal(v.Type()) {
		return string(c.Decimal(i).Round(int32(digits)).FormatMySQL(int32(digits)))
	}
	f := roundDouble(c.Float(i), int64(digits), false)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return ""
	}
	return fixedDouble(f+0, digits) // not -0
}

// fixedDouble writes a double with so many decimals. Behind the digits that identify it are zeros.
func fixedDouble(f float64, digits int) string {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	_, fraction, _ := strings.Cut(text, ".")
	switch {
	case len(fraction) > digits:
		return strconv.FormatFloat(f, 'f', digits, 64)
	case len(fraction) == 0 && digits > 0:
		text += "."
	}
	return text + strings.Repeat("0", digits-len(fraction))
}

// write writes a number such as -1234.50.
func (l locale) write(text string) string {
	whole, fraction, hasFraction := strings.Cut(text, ".")
	whole, negative := strings.CutPrefix(whole, "-")
	groups := [][]byte{}
	for size := l.last; l.separator != "" && len(whole) > size; size = l.others {
		groups = append(groups, []byte(whole[len(whole)-size:]))
		whole = whole[:len(whole)-size]
	}
	var out bytes.Buffer
	if negative {
		out.WriteByte('-')
	}
	out.WriteString(whole)
	for i := len(groups) - 1; i >= 0; i-- {
		out.WriteString(l.separator)
		out.Write(groups[i])
	}
	if hasFraction {
		out.WriteString(l.point + fraction)
	}
	return out.String()
}
