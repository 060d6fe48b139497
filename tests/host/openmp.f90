! An OpenMP program in Fortran.
program openmp
  use omp_lib
  implicit none
  integer :: i, on_device
  real(8) :: a(1000), total
  on_device = 0
  total = 0
  a = [(real(i, 8), i = 0, 999)]
  !$omp target teams distribute parallel do map(tofrom: a, on_device) reduction(+: total)
  do i = 1, 1000
    a(i) = 2 * a(i) + 1
    total = total + a(i)
    if (i == 1 .and. .not. omp_is_initial_device()) on_device = 1
  end do
  print '(a,i0,a,i0,a,i0,a,i0)', 'devices ', omp_get_num_devices(), ', on one ', on_device, ', sum ', int(total), &
    ', last ', int(a(1000))
end program
