package dialect

import "testing"

// What a gateway spends on a statement that it has not seen before.
func BenchmarkTranslate(b *testing.B) {
	for name, text := range map[string]string{
		"select": "SELECT balance FROM accounts WHERE id = ?",
		"update": "UPDATE accounts SET balance = balance - ?, n = n + 1 WHERE id = ?",
		"join":   "SELECT a.owner, SUM(o.qty) AS q FROM accounts a JOIN orders o ON o.account = a.id WHERE a.n > 3 GROUP BY a.owner ORDER BY q DESC LIMIT 10",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Translate(text, Postgres, caseSchema{}, Options{Share: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What a gateway spends on a packet before it can send it somewhere.
func BenchmarkAnalyse(b *testing.B) {
	text := "UPDATE accounts SET balance = balance - 5 WHERE id = 77; UPDATE accounts SET balance = balance + 5 WHERE id = 78; COMMIT"
	b.ReportAllocs()
	for b.Loop() {
		p, err := Analyse(text, Options{})
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range p.Statements {
			_ = s.Keys(Name{"", "accounts"}, "id", caseSchema{})
		}
	}
}
