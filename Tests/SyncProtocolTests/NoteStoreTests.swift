import LocalStoreConformance
import Testing

/// What the tests of this module keep their notes in is a store like any other.
@Suite struct NoteStoreTests {
  @Test(arguments: LocalStoreConformance.laws)
  func `one plain table keeps the laws of stores`(_ law: LocalStoreConformance.Law) throws {
    let outcome = try law.verify { ConformanceStore(try NoteStore(path: ":memory:")) }
    if case .skipped(let reason) = outcome { try Test.cancel("\(reason)") }
  }
}
