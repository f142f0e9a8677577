/// How much a law puts into storage.
public struct ConformanceSizes: Hashable, Sendable {
  /// How many files one folder holds that must be listed whole. More than a thousand, where services begin to give pages.
  public var entries: Int
  /// Bytes of the file that is transferred while the memory is measured. More than 32 MiB, which is how much memory a
  /// transfer may take.
  public var largeFile: Int
  /// Bytes of the file whose transfer is held in the middle. Progress is reported once in 8 MiB at least, so there is a middle
  /// in 17 MiB; less will do for a back end that reports more often.
  public var heldFile: Int

  /// Any sizes.
  public init(entries: Int, largeFile: Int, heldFile: Int = 17 << 20) {
    self.entries = entries
    self.largeFile = largeFile
    self.heldFile = heldFile
  }

  /// 1,100 files and 64 MiB: for every run of the tests.
  public static let short = ConformanceSizes(entries: 1_100, largeFile: 64 << 20)
  /// 10,000 files and 100 MB: before a back end is published.
  public static let long = ConformanceSizes(entries: 10_000, largeFile: 100_000_000)
}
