package account

// What tests outside of the package look at.
const All = all

var (
	Names    = names
	Bits     = bits
	AnyOf    = anyOf
	HoldsAll = holdsAll
	Super    = super
)

func (h *Holdings) On(database string) *OnDatabase { return h.on(database) }
func (h *Holdings) Has(privilege string) bool      { return h.has(privilege) }
func (h *Holdings) With(o *Holdings) *Holdings     { return h.with(o) }
func (o *OnDatabase) All() Set                     { return o.all() }
func (o *OnDatabase) Some() bool                   { return o.some() }
func (o *OnDatabase) Table(name string) *OnTable   { return o.table(name) }
func (o *OnDatabase) Routine(r Routine) Set        { return o.routine(r) }
func (o *OnTable) All() Set                        { return o.all() }
func (o *OnTable) Some() bool                      { return o.some() }
