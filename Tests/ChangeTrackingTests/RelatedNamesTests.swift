import ByteFixtures
import Testing

@testable import ChangeTracking

@Suite struct RelatedNamesTests {
  private func path(_ random: inout SeededGenerator) -> NamePath {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"]
    let former = (0..<Int.random(in: 0...2, using: &random)).map { _ in
      (names + [""]).randomElement(using: &random) ?? ""
    }
    return NamePath(names.randomElement(using: &random) ?? "", former)
  }

  @Test(arguments: 0..<300)
  func `a path that shares no name with what is local stands for nothing local, or others know what for`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let local = (0..<Int.random(in: 0...2, using: &random)).map { (path: path(&random), number: $0) }
    var known: [NamePath: Int] = [:]
    for number in 0..<Int.random(in: 0...5, using: &random) { known[path(&random)] = number }
    var related = RelatedNames()

    for _ in 0..<10 {
      let path = path(&random)
      let isLocal = Set(local.map(\.number))
      let paths = local.map(\.path) + known.filter { isLocal.contains($0.value) }.map(\.key)
      if related.mayRelate(path, in: .entities, { paths }) { continue }
      let claims = NameClaims(
        OwnNames(local), told: known.map { ($0.key, !local.map(\.number).contains($0.value)) })
      let isApart = known.keys.allSatisfy { known in
        !known.names.contains { path.names.contains($0) && !$0.isEmpty }
      }
      claims.insert(path, isForeign: true)
      switch claims.meaning(of: path) {
      case .nothing: break
      case .contradictory: #expect(!isApart)
      // By what others know, so it is noted as theirs and united with it.
      case .one: #expect(claims.hasNewRelatives && !isApart)
      }
    }
  }

  @Test func `a path that is noted later is related`() {
    var related = RelatedNames()
    #expect(!related.mayRelate(NamePath("b"), in: .entities) { [NamePath("a")] })
    related.add(NamePath("b", ["a"]), in: .entities)
    #expect(related.mayRelate(NamePath("b"), in: .entities) { [NamePath("a")] })
  }
}
