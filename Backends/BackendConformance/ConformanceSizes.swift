/// How much a law puts into storage, and how long it leaves that alone.
public struct ConformanceSizes: Hashable, Sendable {
  /// How many files one folder holds that must be listed whole. More than a thousand, where services begin to give pages.
  public var entries: Int
  /// Bytes of the file that is transferred while the memory is measured. More than 32 MiB, which is how much memory a
  /// transfer may take.
  public var largeFile: Int
  /// Bytes of the file whose transfer is held in the middle. Progress is reported once in 8 MiB at least, so there is a middle
  /// in 17 MiB; less will do for a back end that reports more often.
  public var heldFile: Int
  /// Bytes of the buffers and parts in which files may be transferred: tried are files of one, of two, and of a byte less or
  /// more than one.
  public var parts: [Int]
  /// For how long nothing changes before a watcher must be told again.
  public var idleness: Duration

  /// Any sizes.
  public init(
    entries: Int, largeFile: Int, heldFile: Int = 17 << 20, parts: [Int] = [64 << 10, 1 << 20],
    idleness: Duration = .seconds(2)
  ) {
    self.entries = entries
    self.largeFile = largeFile
    self.heldFile = heldFile
    self.parts = parts
    self.idleness = idleness
  }

  /// 1,100 files and 64 MiB, parts of up to 1 MiB, and two seconds: for every run of the tests.
  public static let short = ConformanceSizes(entries: 1_100, largeFile: 64 << 20)
  /// 10,000 files and 100 MB, parts of up to 32 MiB, and more than a minute and a half: before a back end is published.
  public static let long = ConformanceSizes(
    entries: 10_000, largeFile: 100_000_000,
    parts: [16, 64, 256].map { $0 << 10 } + [1, 4, 5, 8, 10, 16, 32].map { $0 << 20 },
    // Connections that nobody uses are cut after a minute by much of what lies between.
    idleness: .seconds(100))
}
