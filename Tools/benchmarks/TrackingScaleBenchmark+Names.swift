import ChangeTracking
import Foundation
import ObjectStore

/// Names of which a set can tell any amount.
extension TrackingScaleBenchmark {
  private static func memo(_ properties: [EntityNames.Property]) -> EntityNames {
    EntityNames(name: "Memo", root: "Memo", properties: properties)
  }

  private static func former(_ count: Int) -> [EntityNames.Property] {
    (0..<count).map {
      EntityNames.Property(name: "unknown \($0)", formerNames: ["title"], kind: .attribute)
    }
  }

  /// Hears that attributes which only others knew are a known one, beside as many objects of which each has one of them.
  static func united(_ count: Int) throws -> Double {
    let scale = try ScaleStore()
    var other = OtherDevice()
    let unknown = former(count).map { EntityNames.Property(name: $0.name, kind: $0.kind) }
    _ = try scale.replica.receive(
      other.insertions("Memo", unknown, other.identifiers(count)) { index in
        [
          Register(
            property: ChangeSet.PropertyIndex(rawValue: index), content: .value(.string("Memo \(index)")))
        ]
      })
    let set = other.set(memo(former(count)), [])
    return try seconds { try scale.replica.receive([set]) }
  }

  /// Hears one more path of an attribute of which many are known, each with many names in it.
  static func paths(_ count: Int) throws -> Double {
    let scale = try ScaleStore()
    var other = OtherDevice()
    let paths = (0...count).map { index in
      EntityNames.Property(
        name: "newer \(index)", formerNames: ["title"] + (0..<30).map { "older \($0)" }, kind: .attribute)
    }
    for start in stride(from: 0, to: count, by: 100) {
      try scale.replica.receive([
        other.set(memo(Array(paths[start..<min(start + 100, count)])), [])
      ])
    }
    let set = other.set(memo([paths[count]]), [])
    return try seconds { try scale.replica.receive([set]) }
  }
}
