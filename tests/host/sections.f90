! Sections of arrays as arguments, and the names of modules, in a region.
module shapes
  implicit none
  integer :: counter = 5
  integer, parameter :: most = 17
  real(8) :: table(2,3) = reshape([1d0,2d0,3d0,4d0,5d0,6d0],[2,3])
  !$omp declare target(counter, table)
contains
  subroutine scale(v, w, n)
    real(8), intent(inout) :: v(:)
    real(8), intent(in) :: w(:,:)
    integer, intent(in) :: n
    !$omp declare target
    integer :: k
    do k = 1, size(v)
      v(k) = v(k) * n + w(1, 1)
    end do
    counter = counter + 1 ! here
  end subroutine
end module
module other
  integer :: counter = 77
  !$omp declare target(counter)
end module
program main
  use shapes
  use other, only: second => counter
  implicit none
  real(8) :: a(12), g(4,6)
  integer :: i
  a = [(i * 1d0, i = 1, 12)]
  g = reshape([(i * 0.5d0, i = 1, 24)], [4, 6])
  !$omp target map(tofrom: a, g)
  call scale(a(10:1:-3), g(2:4:2, 6:1:-2), 2)
  second = second + counter
  !$omp end target
  print *, a
end program
