/// Told how far the transfer of a file is: the number of bytes that have gone over so far.
///
/// Called between the pieces of a file, at least once in 8 MiB, and once more with the whole size; never with a number that
/// is less than the one before, unless the transfer is tried again from the start. It is called on the thread that does the
/// transfer, which waits for it, as other transfers of the same client may: return soon, or all of them are slow.
public typealias TransferProgress = @Sendable (_ bytes: Int64) -> Void
