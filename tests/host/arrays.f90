! Arrays of all kinds in a region, for comparing what the console prints of them with what GDB prints on the host.
module shapes
  implicit none
  type :: point
    integer :: x, y
    real :: weight(3)
  end type
  integer :: counter = 5
end module
program main
  use shapes
  implicit none
  integer, parameter :: n = 8
  integer :: a(0:n-1), i, total
  real(8) :: grid(2,-1:1)
  type(point) :: p
  logical :: flag
  character(len=5) :: word
  complex :: z
  integer, allocatable :: dyn(:)
  allocate(dyn(3:6))
  p = point(1, 2, [1.5, 2.5, 3.5])
  grid = reshape([1d0,2d0,3d0,4d0,5d0,6d0],[2,3])
  word = 'hello'
  z = (1.0, -2.0)
  flag = .true.
  dyn = [10, 20, 30, 40]
  a = 0
  total = 0
  !$omp target map(tofrom: a, grid, p, dyn, flag, word, z, total, counter)
  do i = 0, n-1
    a(i) = i * 2 + p%x
  end do
  total = total + a(3)
  grid(1,0) = grid(1,0) + total
  dyn(4) = dyn(4) + 1 ! here
  if (flag) p%y = 7
  total = total + counter
  word(1:1) = 'j'
  z = z * 2
  !$omp end target
  print *, total, a(7), grid(1,0), dyn(4), p%y
end program
