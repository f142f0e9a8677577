import Foundation

/// One figure, and what it is compared with.
struct Measure: Encodable {
  var id: String
  var value: Double
  var unit: String
  var baseline: Double?
  /// Value divided by baseline.
  var ratio: Double?

  init(_ id: String, _ value: Double, _ unit: String, baseline: Double? = nil) {
    self.id = id
    self.value = value
    self.unit = unit
    self.baseline = baseline
    ratio = baseline.map { value / $0 }
  }
}

/// What one benchmark found.
struct BenchmarkReport: Encodable {
  var benchmark: String
  var measures: [Measure]

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  func table() -> String {
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    func number(_ value: Double) -> String {
      value.magnitude >= 1_000 ? String(Int(value.rounded())) : String((value * 1_000).rounded() / 1_000)
    }
    return measures.map { measure in
      let comparison = measure.baseline.map { "  (baseline \(number($0)), ratio \(number(measure.ratio ?? 0)))" }
      return padded(measure.id, 20) + padded(number(measure.value), 12) + " " + measure.unit + (comparison ?? "")
    }.joined(separator: "\n")
  }
}
