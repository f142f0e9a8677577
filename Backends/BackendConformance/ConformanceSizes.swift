/// How much a law puts into storage.
public struct ConformanceSizes: Hashable, Sendable {
  /// How many files one folder holds that must be listed whole. More than a thousand, where services begin to give pages.
  public var entries: Int
  /// Bytes of the file that is transferred while the memory is measured. More than 32 MiB, which is how much memory a
  /// transfer may take.
  public var largeFile: Int

  /// Any sizes.
  public init(entries: Int, largeFile: Int) {
    self.entries = entries
    self.largeFile = largeFile
  }

  /// 1,100 files and 64 MiB: for every run of the tests.
  public static let short = ConformanceSizes(entries: 1_100, largeFile: 64 << 20)
  /// 10,000 files and 100 MB: before a back end is published.
  public static let long = ConformanceSizes(entries: 10_000, largeFile: 100_000_000)
}
