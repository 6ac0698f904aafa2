! Files in Fortran: blocking, for all at once, not blocking. Argument: a folder. For four ranks.
program files
  use mpi
  implicit none
  integer :: rank, error, file, request, numbers(64), status(MPI_STATUS_SIZE)
  integer(kind=MPI_OFFSET_KIND) :: place
  character(len=1000) :: folder
  numbers = 7
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call get_command_argument(1, folder)
  call MPI_File_open(MPI_COMM_WORLD, trim(folder) // '/common', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file, error)
  place = 1000 * rank
  call MPI_File_write_at(file, place, numbers, 10, MPI_INTEGER, MPI_STATUS_IGNORE, error)
  call MPI_File_write_at_all(file, place, numbers, 5, MPI_INTEGER, status, error)
  call MPI_File_iwrite_at(file, place, numbers, 3, MPI_INTEGER, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_File_read_at(file, place, numbers, 10, MPI_INTEGER, status, error)
  call MPI_File_close(file, error)
  call MPI_Finalize(error)
end program
