! Sluice: checkpoints of a program in Fortran. sluice.h says what the functions do; each returns 0, or less after an error.
!
!     use sluice
!     type(sluice_session) :: session
!     if (sluice_open(session) /= 0) print *, trim(sluice_error())
!     ...
!     if (sluice_begin(session, step) /= 0) print *, trim(sluice_error())
!     open (newunit=unit, file="restart.dat", form="unformatted")
!     write (unit) field
!     close (unit)
!     if (sluice_complete(session, step) /= 0) print *, trim(sluice_error())
!
! Under `sluice run` the files that the process creates or empties in the capture directory in between belong to the
! checkpoint. Compile this file with the program, and link with -lsluice.
module sluice
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr, c_null_ptr, c_char, c_null_char, c_f_pointer
  implicit none
  private
  public :: sluice_session, sluice_open, sluice_close, sluice_begin, sluice_add, sluice_complete, sluice_cancel
  public :: sluice_name, sluice_find, sluice_name_of
  public :: sluice_wait, sluice_newest, sluice_restore, sluice_error

  type :: sluice_session
    private
    type(c_ptr) :: handle = c_null_ptr
  end type sluice_session

  interface
    integer(c_int) function session_open(directory, rank, ranks, session) bind(C, name="sluice_session_open")
      import :: c_int, c_ptr
      type(c_ptr), value :: directory
      integer(c_int), value :: rank, ranks
      type(c_ptr) :: session
    end function session_open

    integer(c_int) function session_close(session) bind(C, name="sluice_session_close")
      import :: c_int, c_ptr
      type(c_ptr), value :: session
    end function session_close

    integer(c_int) function begin(session, checkpoint) bind(C, name="sluice_checkpoint_begin")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: session
      integer(c_int64_t), value :: checkpoint
    end function begin

    integer(c_int) function add(session, checkpoint, path) bind(C, name="sluice_checkpoint_add")
      import :: c_int, c_int64_t, c_ptr, c_char
      type(c_ptr), value :: session
      integer(c_int64_t), value :: checkpoint
      character(kind=c_char), intent(in) :: path(*)
    end function add

    integer(c_int) function name_it(session, checkpoint, name) bind(C, name="sluice_checkpoint_name")
      import :: c_int, c_int64_t, c_ptr, c_char
      type(c_ptr), value :: session
      integer(c_int64_t), value :: checkpoint
      character(kind=c_char), intent(in) :: name(*)
    end function name_it

    integer(c_int) function find(session, name, checkpoint) bind(C, name="sluice_checkpoint_find")
      import :: c_int, c_int64_t, c_ptr, c_char
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t) :: checkpoint
    end function find

    integer(c_int) function name_of(session, checkpoint, name) bind(C, name="sluice_checkpoint_name_of")
      import :: c_int, c_int64_t, c_ptr, c_char
      type(c_ptr), value :: session
      integer(c_int64_t), value :: checkpoint
      character(kind=c_char), intent(out) :: name(*)
    end function name_of

    integer(c_int) function complete(session, checkpoint) bind(C, name="sluice_checkpoint_complete")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: session
      integer(c_int64_t), value :: checkpoint
    end function complete

    integer(c_int) function cancel(session, checkpoint) bind(C, name="sluice_checkpoint_cancel")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: session
      integer(c_int64_t), value :: checkpoint
    end function cancel

    integer(c_int) function wait_for(session, checkpoint, timeout) bind(C, name="sluice_checkpoint_wait")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: session
      integer(c_int64_t), value :: checkpoint, timeout
    end function wait_for

    integer(c_int) function newest(session, checkpoint) bind(C, name="sluice_checkpoint_newest")
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: session
      integer(c_int64_t) :: checkpoint
    end function newest

    integer(c_int) function restore(session, checkpoint, directory) bind(C, name="sluice_checkpoint_restore")
      import :: c_int, c_int64_t, c_ptr, c_char
      type(c_ptr), value :: session
      integer(c_int64_t), value :: checkpoint
      character(kind=c_char), intent(in) :: directory(*)
    end function restore

    type(c_ptr) function message() bind(C, name="sluice_message")
      import :: c_ptr
    end function message
  end interface

contains

  ! Opens a session with the I/O process that `sluice run` has started; the launcher tells the rank.
  integer function sluice_open(session)
    type(sluice_session), intent(out) :: session
    sluice_open = session_open(c_null_ptr, -1_c_int, 0_c_int, session%handle)
  end function sluice_open

  integer function sluice_close(session)
    type(sluice_session), intent(inout) :: session
    sluice_close = session_close(session%handle)
    session%handle = c_null_ptr
  end function sluice_close

  integer function sluice_begin(session, checkpoint)
    type(sluice_session), intent(in) :: session
    integer, intent(in) :: checkpoint
    sluice_begin = begin(session%handle, int(checkpoint, c_int64_t))
  end function sluice_begin

  ! Adds a file that a thread or another process writes. Returns 1 if its bytes were copied.
  integer function sluice_add(session, checkpoint, path)
    type(sluice_session), intent(in) :: session
    integer, intent(in) :: checkpoint
    character(*), intent(in) :: path
    sluice_add = add(session%handle, int(checkpoint, c_int64_t), trim(path)//c_null_char)
  end function sluice_add

  ! Gives an open checkpoint a name beside its number.
  integer function sluice_name(session, checkpoint, name)
    type(sluice_session), intent(in) :: session
    integer, intent(in) :: checkpoint
    character(*), intent(in) :: name
    sluice_name = name_it(session%handle, int(checkpoint, c_int64_t), trim(name)//c_null_char)
  end function sluice_name

  integer function sluice_complete(session, checkpoint)
    type(sluice_session), intent(in) :: session
    integer, intent(in) :: checkpoint
    sluice_complete = complete(session%handle, int(checkpoint, c_int64_t))
  end function sluice_complete

  integer function sluice_cancel(session, checkpoint)
    type(sluice_session), intent(in) :: session
    integer, intent(in) :: checkpoint
    sluice_cancel = cancel(session%handle, int(checkpoint, c_int64_t))
  end function sluice_cancel

  ! Waits until the checkpoint is committed, for so many milliseconds at most; less than 0 for ever.
  integer function sluice_wait(session, checkpoint, timeout)
    type(sluice_session), intent(in) :: session
    integer, intent(in) :: checkpoint, timeout
    sluice_wait = wait_for(session%handle, int(checkpoint, c_int64_t), int(timeout, c_int64_t))
  end function sluice_wait

  integer function sluice_newest(session, checkpoint)
    type(sluice_session), intent(in) :: session
    integer, intent(out) :: checkpoint
    integer(c_int64_t) :: number
    number = -1
    sluice_newest = newest(session%handle, number)
    checkpoint = int(number)
  end function sluice_newest

  ! Finds the checkpoint of a name that was committed last.
  integer function sluice_find(session, name, checkpoint)
    type(sluice_session), intent(in) :: session
    character(*), intent(in) :: name
    integer, intent(out) :: checkpoint
    integer(c_int64_t) :: number
    number = -1
    sluice_find = find(session%handle, trim(name)//c_null_char, number)
    checkpoint = int(number)
  end function sluice_find

  ! Tells the name of a committed checkpoint, blank where it has none; less than 0 is the newest checkpoint.
  integer function sluice_name_of(session, checkpoint, name)
    type(sluice_session), intent(in) :: session
    integer, intent(in) :: checkpoint
    character(*), intent(out) :: name
    character(kind=c_char) :: bytes(101)
    bytes = c_null_char
    sluice_name_of = name_of(session%handle, int(checkpoint, c_int64_t), bytes)
    name = text_of(bytes)
  end function sluice_name_of

  ! Restores all files of a checkpoint into a directory; less than 0 is the newest checkpoint.
  integer function sluice_restore(session, checkpoint, directory)
    type(sluice_session), intent(in) :: session
    integer, intent(in) :: checkpoint
    character(*), intent(in) :: directory
    sluice_restore = restore(session%handle, int(checkpoint, c_int64_t), trim(directory)//c_null_char)
  end function sluice_restore

  ! Returns one line about the last failed call.
  function sluice_error() result(text)
    character(1000) :: text
    character(kind=c_char), pointer :: bytes(:)
    call c_f_pointer(message(), bytes, [len(text)])
    text = text_of(bytes)
  end function sluice_error

  ! Returns the text up to a null character, and blanks behind it.
  function text_of(bytes) result(text)
    character(kind=c_char), intent(in) :: bytes(:)
    character(size(bytes)) :: text
    integer :: i
    text = ""
    do i = 1, size(bytes)
      if (bytes(i) == c_null_char) exit
      text(i:i) = bytes(i)
    end do
  end function text_of
end module sluice
