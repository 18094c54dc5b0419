! Sluice: MPI programs that survive kills. sluice_mpi.h says what the procedures do and what a program must do.
!
!     use mpi_f08
!     use sluice_mpi
!     integer, target :: step
!     real(8), allocatable, target :: field(:, :)
!     ...
!     call sluice_protect(0, c_loc(step), c_sizeof(step))
!     call sluice_protect(1, c_loc(field), c_sizeof(field))
!     do while (step <= steps)
!       call sluice_potential_checkpoint()
!       ...
!
! Compile this file with the program, and link with -lsluice_mpi.
module sluice_mpi
  use, intrinsic :: iso_c_binding, only: c_int, c_size_t, c_ptr, c_loc, c_sizeof
  implicit none
  private
  public :: sluice_protect, sluice_potential_checkpoint, sluice_restored
  public :: c_loc, c_sizeof, c_size_t

  interface
    integer(c_int) function protect(id, pointer, bytes) bind(C, name="sluice_protect")
      import :: c_int, c_size_t, c_ptr
      integer(c_int), value :: id
      type(c_ptr), value :: pointer
      integer(c_size_t), value :: bytes
    end function protect

    ! A place where this rank can be checkpointed. Not by way of a procedure of this module: the place is
    ! known by its address.
    subroutine sluice_potential_checkpoint() bind(C, name="sluice_potential_checkpoint")
    end subroutine sluice_potential_checkpoint

    ! The same as a function: 1 when it has put the state of a checkpoint back, else 0.
    integer(c_int) function sluice_restored() bind(C, name="sluice_potential_checkpoint")
      import :: c_int
    end function sluice_restored
  end interface

contains

  ! Memory that belongs to every checkpoint: c_loc() and c_sizeof() of a target without gaps.
  ! `ierror` is 0, or less when the arguments make no sense.
  subroutine sluice_protect(id, pointer, bytes, ierror)
    integer, intent(in) :: id
    type(c_ptr), intent(in) :: pointer
    integer(c_size_t), intent(in) :: bytes
    integer, optional, intent(out) :: ierror
    integer(c_int) :: status

    status = protect(int(id, c_int), pointer, bytes)
    if (present(ierror)) ierror = status
  end subroutine sluice_protect
end module sluice_mpi
