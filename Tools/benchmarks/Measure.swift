/// One figure of a benchmark, next to that of what it is compared with.
struct Measure: CustomStringConvertible {
  let id: String
  let value: Double
  let unit: String
  /// The same figure of the bare work, if there is any to compare with.
  var baseline: Double?
  /// Value per baseline.
  var ratio: Double? { baseline.map { $0 == 0 ? 0 : value / $0 } }

  var json: String {
    let comparison = [("baseline", baseline), ("ratio", ratio)].map { name, figure in
      ",\"\(name)\":\(figure.map { Self.short($0) } ?? "null")"
    }
    return "{\"id\":\"\(id)\",\"value\":\(Self.short(value)),\"unit\":\"\(unit)\"\(comparison.joined())}"
  }

  var description: String {
    let comparison = baseline.map { ", baseline \(Self.short($0)), ratio \(Self.short(ratio ?? 0))" }
    return "\(id): \(Self.short(value)) \(unit)\(comparison ?? "")"
  }

  private static func short(_ number: Double) -> String {
    number >= 1_000 ? String(Int(number)) : String((number * 1_000).rounded() / 1_000)
  }

  /// The median of an odd number of values.
  static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

extension Measure {
  /// A figure that is compared with nothing, or with one that is given.
  init(_ id: String, _ value: Double, _ unit: String, baseline: Double? = nil) {
    self.init(id: id, value: value, unit: unit, baseline: baseline)
  }

  /// Runs bare and compared work in turns, so that both see the same machine, and takes the medians of the rates.
  static func alternating(
    _ id: String, count: Int, rounds: Int = 5, bare: () throws -> Duration, store: () throws -> Duration
  ) throws -> Measure {
    var bareRates: [Double] = []
    var storeRates: [Double] = []
    for _ in 0..<rounds {
      bareRates.append(Double(count) / seconds(try bare()))
      storeRates.append(Double(count) / seconds(try store()))
    }
    return Measure(id: id, value: median(storeRates), unit: "objects/s", baseline: median(bareRates))
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }
}
