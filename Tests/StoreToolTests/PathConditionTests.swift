import Foundation
import ObjectStore
import ProcessTesting
import Testing

/// ANY, ALL and NONE over paths that lead on through objects that may be missing, compared with what a small graph says itself.
@Suite struct PathConditionTests {
  /// Objects with a text, a parent and friends, by their places.
  private struct Graph {
    var texts: [String?] = []
    var parents: [Int?] = []
    var friends: [Set<Int>] = []

    init(seed: UInt64) {
      var state = seed
      func draw(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % count
      }
      let size = 16
      for _ in 0..<size {
        texts.append([nil, "a", "b"][draw(3)])
        parents.append(draw(3) == 0 ? nil : draw(size))
        friends.append(Set((0..<draw(4)).map { _ in draw(size) }))
      }
    }

    /// The texts at the ends of a path from an object; `nil` where one is missing.
    func ends(from object: Int, throughFriends: Int, thenParents: Int) -> [String?] {
      var members: Set<Int> = [object]
      for _ in 0..<throughFriends { members = members.reduce(into: []) { $0.formUnion(friends[$1]) } }
      return members.map { member in
        var end: Int? = member
        for _ in 0..<thenParents { end = end.flatMap { parents[$0] } }
        return end.flatMap { texts[$0] }
      }
    }
  }

  private static let comparisons: [(words: String, holds: @Sendable (String?) -> Bool)] = [
    ("== nil", { $0 == nil }), ("!= nil", { $0 != nil }), ("== 'a'", { $0 == "a" }),
    ("!= 'a'", { $0 != "a" }),
    ("IN {nil, 'a'}", { $0 == nil || $0 == "a" }),
  ]

  @Test(arguments: 1...3 as ClosedRange<UInt64>, [StoreFile.Kind.sqlite, .binary])
  func `what is missing on the way is as missing as at the end`(seed: UInt64, kind: StoreFile.Kind)
    async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    let graph = Graph(seed: seed)
    let store = try store(of: graph, kind, tool)

    for (hops, parents) in [(1, 0), (1, 1), (1, 2), (2, 1)] {
      let path =
        (Array(repeating: "friends", count: hops) + Array(repeating: "parent", count: parents) + ["s"])
        .joined(separator: ".")
      let ends = graph.texts.indices.map {
        graph.ends(from: $0, throughFriends: hops, thenParents: parents)
      }
      for (words, holds) in Self.comparisons {
        let expected = [
          "ANY": ends.filter { $0.contains(where: holds) }.count,
          "ALL": ends.filter { $0.allSatisfy(holds) }.count,
          "NONE": ends.filter { !$0.contains(where: holds) }.count,
        ]
        for (quantifier, count) in expected {
          let condition = "\(quantifier) \(path) \(words)"
          let result = try await tool.run("count", store, "Node", "--where", condition)
          #expect(result.output == "\(count)\n", "\(condition): \(result.errors)")
        }
      }
    }
  }

  @Test func `a path over many relationships takes as long as there are objects, or is refused`() async throws
  {
    let tool = try StoreTool()
    defer { tool.remove() }
    var graph = Graph(seed: 1)
    graph.friends = graph.texts.map { _ in Set(graph.texts.indices) }
    let store = try store(of: graph, .sqlite, tool)
    let path = String(repeating: "friends.", count: 50)

    let any = try await tool.run("count", store, "Node", "--where", "ANY \(path)s == 'a'")
    let sum = try await tool.run("count", store, "Node", "--where", "\(path)@sum.n > 0")

    #expect(any.ending == .exited(0), "\(any.errors)")
    #expect(sum.ending == .exited(2) && sum.errors.contains("ways lead along “friends”"), "\(sum.errors)")
  }

  private func store(of graph: Graph, _ kind: StoreFile.Kind, _ tool: StoreTool) throws -> String {
    let model = try ManagedObjectModel(entities: [
      EntityDeclaration(
        "Node", attributes: [.init("s", .string), .init("n", .integer64)],
        relationships: [
          .toMany("friends", to: "Node", inverse: "fans"), .toMany("fans", to: "Node", inverse: "friends"),
          .toOne("parent", to: "Node", inverse: "children"),
          .toMany("children", to: "Node", inverse: "parent"),
        ])
    ])
    let path = tool.path("store.sqlite")
    let context = try PersistentStore(model: model, path: path).newContext()
    let nodes = try graph.texts.indices.map { _ in try context.insert(entity: "Node") }
    for (place, node) in nodes.enumerated() {
      if let text = graph.texts[place] { node["s"] = .string(text) }
      node["n"] = .integer(1)
      if let parent = graph.parents[place] { node.setTarget(nodes[parent], "parent") }
      node.setMembers(graph.friends[place].sorted().map { nodes[$0] }, "friends")
    }
    try context.save()
    if kind == .sqlite { return path }
    try StoreFile(path: path).copy(to: tool.path("store.binary"), as: kind)
    return tool.path("store.binary")
  }
}
