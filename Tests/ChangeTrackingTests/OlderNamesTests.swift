import ByteFixtures
import Testing

@testable import ChangeTracking

@Suite struct OlderNamesTests {
  @Test(arguments: 0..<50) func `all paths that begin with a path are found, and no others`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func path() -> NamePath {
      let names = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        ["a", "b", "ab", "é", ""].randomElement(using: &random) ?? ""
      }
      return NamePath(names[0], Array(names.dropFirst()))
    }
    let told = Set((0..<30).map { _ in path() })
    let older = OlderNames(told)
    for _ in 0..<20 {
      let path = path()
      let expected = told.filter { $0.names.count > 1 && $0.names.starts(with: path.names) }
      #expect(Set(older.beginning(with: path)) == expected)
    }
  }
}
