import Foundation

/// Numbers of bytes in words.
package enum ByteSize {
  /// A size in bytes or a larger unit, with a digit behind the point.
  package static func text(_ bytes: Int64) -> String {
    if bytes < 1024 { return "\(bytes) B" }
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    var value = Double(bytes) / 1024
    var unit = 0
    while value >= 1024, unit + 1 < units.count {
      value /= 1024
      unit += 1
    }
    return String(format: "%.1f %@", value, units[unit])
  }
}
