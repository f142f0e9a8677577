import CommandLineTool
import Testing

@Suite struct FirstOfEachKindTests {
  @Test func `of each kind the first are shown in their order, and the others counted`() {
    let many = FirstOfEachKind((1...7).map { $0 }, limit: 2) { $0.isMultiple(of: 3) ? "third" : "other" }

    #expect(many.shown == [1, 2, 3, 6])
    #expect(many.more.map(\.kind) == ["other"] && many.more.map(\.count) == [3])
  }

  @Test func `a hundred of a kind are shown unless told otherwise`() {
    let many = FirstOfEachKind(Array(0..<101)) { _ in "one" }

    #expect(many.shown == Array(0..<100))
    #expect(many.more.map(\.count) == [1])
  }
}
