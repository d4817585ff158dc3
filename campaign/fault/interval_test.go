package fault_test

import (
	"fmt"
	"math"
	"testing"
)

// z standard deviations on either side of the mean cover 95 % of a normal distribution.
const z = 1.96

// A share is n of all. Its interval is Wilson's. Samples are drawn without replacement, so the true interval
// is a little smaller.
type share struct{ n, all int }

func (s share) interval() (low, high float64) {
	all, p := float64(s.all), float64(s.n)/float64(s.all)
	middle, half := p+z*z/(2*all), z*math.Sqrt(p*(1-p)/all+z*z/(4*all*all))
	return max(0, (middle-half)/(1+z*z/all)), min(1, (middle+half)/(1+z*z/all))
}

// String returns the share with its percentage and, in brackets, the interval of that.
func (s share) String() string {
	if s.all == 0 {
		return ""
	}
	low, high := s.interval()
	return fmt.Sprintf("%d of %d, %.1f %% (%.0f to %.0f)", s.n, s.all, 100*float64(s.n)/float64(s.all), 100*low, 100*high)
}

// stratified is the weighted mean of the means of strata, from each of which a random sample was measured.
type stratified struct {
	weight        float64 // of all strata
	sum, variance float64 // of the weighted means; its variance
	unknown       bool    // the mean of a stratum is
}

func (s *stratified) add(weight, mean, variance float64) {
	s.weight, s.sum, s.variance = s.weight+weight, s.sum+weight*mean, s.variance+weight*weight*variance
}

// addMean adds a stratum that has strata of its own.
func (s *stratified) addMean(weight float64, of *stratified) {
	if !of.known() {
		s.unknown = true
		return
	}
	s.add(weight, of.mean(), of.variance/(of.weight*of.weight))
}

// leastSample is the size of the samples that count: the error of smaller ones is unknown.
const leastSample = 4

// addShare adds a stratum of weight 1. The variance of its share is that with two more successes and two more failures,
// after Agresti and Coull: a small sample that has only successes must not seem certain.
func (s *stratified) addShare(of share) {
	if of.all >= leastSample {
		all := float64(of.all + 4)
		p := float64(of.n+2) / all
		s.add(1, float64(of.n)/float64(of.all), p*(1-p)/all)
	}
}

func (s *stratified) known() bool { return s.weight > 0 && !s.unknown }

func (s *stratified) mean() float64 { return s.sum / s.weight }

// half returns half of the length of the interval.
func (s *stratified) half() float64 { return z * math.Sqrt(s.variance) / s.weight }

// percent returns the mean and the interval of a share.
func (s *stratified) percent() string {
	if !s.known() {
		return ""
	}
	low, high := max(0, s.mean()-s.half()), min(1, s.mean()+s.half())
	return fmt.Sprintf("%.1f %% (%.1f to %.1f)", 100*s.mean(), 100*low, 100*high)
}

// number returns the mean and half of its interval.
func (s *stratified) number() string {
	if !s.known() {
		return ""
	}
	return fmt.Sprintf("%.2f ± %.2f", s.mean(), s.half())
}

// TestIntervals compares intervals with published ones: Wilson's for 0, 5 and 10 of 10 and 95 of 100.
func TestIntervals(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		of   share
		want string
	}{
		{share{0, 10}, "0.000 to 0.278"},
		{share{5, 10}, "0.237 to 0.763"},
		{share{95, 100}, "0.888 to 0.978"},
		{share{10, 10}, "0.722 to 1.000"},
	} {
		low, high := row.of.interval()
		if got := fmt.Sprintf("%.3f to %.3f", low, high); got != row.want {
			t.Errorf("%v: %s, want %s", row.of, got, row.want)
		}
	}
	var s stratified
	for range 16 {
		s.addShare(share{0, 30})
	}
	if got, want := s.percent(), "0.0 % (0.0 to 2.0)"; got != want {
		t.Errorf("16 strata: %s, want %s", got, want)
	}
}
