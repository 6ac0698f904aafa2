! workers.c in Fortran, by `use mpi_f08`.
program workers
  use mpi_f08
  implicit none
  integer :: rank, size, tasks, task, which
  type(MPI_Status) :: status
  type(MPI_Message) :: message
  type(MPI_Request) :: answers(2)
  integer(kind=1), allocatable :: buffer(:)
  character(len=16) :: word
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call get_command_argument(1, word)
  read (word, *) tasks
  allocate (buffer(tasks + 1))
  buffer = 0
  if (rank == 0) then
    do task = 0, tasks - 1
      call MPI_Send(buffer, task, MPI_BYTE, 1 + mod(task, size - 1), task, MPI_COMM_WORLD)
    end do
    do task = 0, tasks - 1
      select case (mod(task, 3))
      case (0)
        call MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status)
        call MPI_Recv(buffer, tasks, MPI_BYTE, status%MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      case (1)
        call MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, message, status)
        call MPI_Mrecv(buffer, tasks, MPI_BYTE, message, MPI_STATUS_IGNORE)
      case default
        call MPI_Irecv(buffer, tasks, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, answers(1))
        answers(2) = MPI_REQUEST_NULL
        call MPI_Waitany(2, answers, which, status)
      end select
    end do
  else
    do task = rank - 1, tasks - 1, size - 1
      call MPI_Recv(buffer, tasks, MPI_BYTE, 0, task, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Ssend(buffer, task/2, MPI_BYTE, 0, mod(task, 3), MPI_COMM_WORLD)
    end do
  end if
  call MPI_Finalize()
end program workers
