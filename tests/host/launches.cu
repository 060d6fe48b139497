#include "launches.hip"
