c     Requests and statuses of mpif.h.
      program calls
      implicit none
      include 'mpif.h'
      integer rank, ranks, left, right, ierror, i, round, n, kept
      integer got(4), out(4), requests(4), indices(4), found
      integer status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 4)
      logical flag
      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
      left = mod(rank + ranks - 1, ranks)
      right = mod(rank + 1, ranks)
      do round = 1, 5
        do i = 1, 4
          call MPI_IRECV(got(i), 1, MPI_INTEGER, left, i,
     &                   MPI_COMM_WORLD, requests(i), ierror)
        end do
        do i = 4, 1, -1
          out(i) = 10 * rank + i
          call MPI_SEND(out(i), 1, MPI_INTEGER, right, i,
     &                  MPI_COMM_WORLD, ierror)
        end do
        call MPI_WAITANY(4, requests, i, status, ierror)
        if (got(i) .ne. 10 * left + i) stop 1
        if (status(MPI_TAG) .ne. i) stop 2
        if (requests(i) .ne. MPI_REQUEST_NULL) stop 3
        n = 1
        do while (n .lt. 4)
          call MPI_WAITSOME(4, requests, found, indices, statuses,
     &                      ierror)
          n = n + found
        end do
        call MPI_WAITALL(4, requests, MPI_STATUSES_IGNORE, ierror)
        call MPI_RECV_INIT(got, 1, MPI_INTEGER, left, 9,
     &                     MPI_COMM_WORLD, requests(1), ierror)
        kept = requests(1)
        do i = 1, 3
          out(1) = rank + i
          call MPI_START(requests(1), ierror)
          call MPI_SEND(out, 1, MPI_INTEGER, right, 9, MPI_COMM_WORLD,
     &                  ierror)
          call MPI_WAIT(requests(1), status, ierror)
          if (got(1) .ne. left + i) stop 4
          if (requests(1) .ne. kept) stop 5
        end do
        call MPI_REQUEST_FREE(requests(1), ierror)
        call MPI_SENDRECV(rank, 1, MPI_INTEGER, right, 1, n, 1,
     &                    MPI_INTEGER, left, 1, MPI_COMM_WORLD, status,
     &                    ierror)
        if (n .ne. left) stop 6
        call MPI_IBCAST(n, 1, MPI_INTEGER, 0, MPI_COMM_WORLD,
     &                  requests(2), ierror)
        flag = .false.
        do while (.not. flag)
          call MPI_TEST(requests(2), flag, status, ierror)
        end do
        if (n .ne. ranks - 1) stop 7
        call MPI_SEND(n, 1, MPI_INTEGER, MPI_PROC_NULL, 1,
     &                MPI_COMM_WORLD, ierror)
      end do
      call MPI_FINALIZE(ierror)
      if (rank .eq. 0) print '(a)', 'ok'
      end
