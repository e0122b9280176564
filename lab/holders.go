package lab

import (
	"fmt"
	"slices"
	"strings"

	"isochron/geo"
)

// parseHolders reads which regions hold the shards: for each region of the map, separated by
// slashes, itself, which leads, and those with the other replicas, separated by commas, such as
// va,wa,pr/wa,pr,va/pr,va,wa. Empty: nil.
func parseHolders(text string, regions []geo.Region, replicas int) (map[int][]int, error) {
	if text == "" {
		return nil, nil
	}
	held := map[int][]int{}
	for _, group := range strings.Split(text, "/") {
		var places []int
		for _, name := range strings.Split(group, ",") {
			at := slices.Index(regions, geo.Region(name))
			if at < 0 || slices.Contains(places, at) {
				return nil, fmt.Errorf("the holders %q name %q, which is no region of the map or is listed twice", group, name)
			}
			places = append(places, at)
		}
		if len(places) != replicas || held[places[0]] != nil {
			return nil, fmt.Errorf("the holders %q are not %d regions, of which the first leads nothing else", group, replicas)
		}
		held[places[0]] = places
	}
	if len(held) != len(regions) {
		return nil, fmt.Errorf("the holders %q are of %d regions, and the map has %d", text, len(held), len(regions))
	}
	return held, nil
}
