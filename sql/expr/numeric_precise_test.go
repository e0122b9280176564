package expr

import (
	"math"
	"testing"
)

// The values are those of a computation with 1,400 bits, rounded once.
func TestFunctionsAreRoundedOnce(t *testing.T) {
	functions := map[string]func(float64) float64{
		"sine": sine, "cosine": cosine, "tangent": tangent, "arcSine": arcSine, "arcCosine": arcCosine, "exponential": exponential, "ln": ln,
	}
	for _, c := range []struct {
		name    string
		x, want float64
	}{
		{"sine", 1.0, 0.8414709848078965},
		{"sine", 3.141592653589793, 1.2246467991473532e-16},
		{"sine", 1000000.0, -0.34999350217129294},
		{"sine", 123456789.25, 0.9940352824752119},
		{"sine", 1e+22, -0.8522008497671888},
		{"sine", 1.7976931348623157e+308, 0.004961954789184062},
		{"sine", -2.5, -0.5984721441039565},
		{"sine", 1e-05, 9.999999999833334e-06},
		{"cosine", 1.0, 0.5403023058681398},
		{"cosine", 3.141592653589793, -1.0},
		{"cosine", 1000000.0, 0.9367521275331447},
		{"cosine", 123456789.25, -0.10905896200874868},
		{"cosine", 1e+22, 0.523214785395139},
		{"cosine", 1.7976931348623157e+308, -0.9999876894265599},
		{"cosine", -2.5, -0.8011436155469337},
		{"cosine", 1e-05, 0.99999999995},
		{"tangent", 1.0, 1.5574077246549023},
		{"tangent", 3.141592653589793, -1.2246467991473532e-16},
		{"tangent", 1000000.0, -0.373624453987599},
		{"tangent", 123456789.25, -9.114659301410468},
		{"tangent", 1e+22, -1.6287782256068988},
		{"tangent", 1.7976931348623157e+308, -0.004962015874444895},
		{"tangent", -2.5, 0.7470222972386603},
		{"tangent", 1e-05, 1.0000000000333334e-05},
		{"arcSine", 0.5, 0.5235987755982989},
		{"arcSine", -0.999999, -1.5693821131146521},
		{"arcSine", 1e-09, 1e-09},
		{"arcSine", 0.7071067811865476, 0.7853981633974484},
		{"arcCosine", 0.5, 1.0471975511965979},
		{"arcCosine", -0.999999, 3.1401784399095485},
		{"arcCosine", 1e-09, 1.5707963257948967},
		{"arcCosine", 0.7071067811865476, 0.7853981633974483},
		{"exponential", 1.0, 2.718281828459045},
		{"exponential", -700.25, 7.678723813110872e-305},
		{"exponential", 709.5, 1.3549863193146328e+308},
		{"exponential", 1e-12, 1.000000000001},
		{"exponential", -0.5, 0.6065306597126334},
		{"ln", 2.0, 0.6931471805599453},
		{"ln", 1.0000000001, 1.000000082690371e-10},
		{"ln", 0.9999999, -1.0000000494736474e-07},
		{"ln", 1e+300, 690.7755278982137},
		{"ln", 5e-324, -744.4400719213812},
		{"ln", 10.0, 2.302585092994046},
	} {
		if got := functions[c.name](c.x); got != c.want {
			t.Errorf("%s(%v) = %v, expected %v", c.name, c.x, got, c.want)
		}
	}
	for _, c := range []struct{ y, x, want float64 }{
		{1.0, 2.0, 0.4636476090008061},
		{-3.5, 0.001, -1.5705106125169568},
		{1e+300, 1e+299, 1.4711276743037347},
		{2.0, -7.25, 2.872425160804093},
	} {
		if got := arcTangent2(c.y, c.x); got != c.want {
			t.Errorf("the angle of (%v, %v) = %v, expected %v", c.y, c.x, got, c.want)
		}
	}
	for _, c := range []struct{ x, y, want float64 }{
		{7.0, 19.0, 1.1398895185373144e+16},
		{9.0, 17.0, 1.6677181699666568e+16},
		{2.0, 0.5, 1.4142135623730951},
		{1.5, -300.25, 1.3446196960538261e-53},
		{-18.0, 17.0, -2.1859115597386964e+21},
		{10.0, -5.0, 1e-05},
	} {
		if got := powerOf(c.x, c.y); got != c.want {
			t.Errorf("%v to the power of %v = %v, expected %v", c.x, c.y, got, c.want)
		}
	}
}

func TestFunctionsOfWhatIsNoNumber(t *testing.T) {
	for _, f := range []func(float64) float64{sine, cosine, tangent, arcSine, arcCosine, exponential, ln, log10} {
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 5e-324, -5e-324, math.MaxFloat64, -math.MaxFloat64} {
			f(x) // ends
		}
	}
	if powerOf(0, -1) != math.Inf(1) || powerOf(-8, 1.0/3) == powerOf(-8, 1.0/3) || powerOf(2, 1024) != math.Inf(1) || powerOf(2, -1074) != 5e-324 {
		t.Error("powers at the ends")
	}
}
