// Sorts arrays with the std::sort of the C++ library that it is compiled with.
//
// In: for each array, the number of its keys and the keys. Out: a line for each, with the places
// of the keys in the order after the sort.

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

int main()
{
	size_t count = 0;
	while (std::scanf("%zu", &count) == 1) {
		std::vector<long> keys(count);
		for (long &key : keys) {
			if (std::scanf("%ld", &key) != 1) { return 1; }
		}
		std::vector<size_t> places(count);
		std::iota(places.begin(), places.end(), 0);
		std::sort(places.begin(), places.end(),
			[&keys](size_t one, size_t other) { return keys[one] < keys[other]; });
		for (size_t place : places) { std::printf("%zu ", place); }
		std::printf("\n");
	}
	return 0;
}
