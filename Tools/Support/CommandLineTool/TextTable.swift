/// Rows of cells for a person. At a terminal names are cut so that a row fits in a line; elsewhere all is printed in full. Where that is not
/// enough, each cell stands in a line of its own.
public struct TextTable {
  /// What stands in a column.
  public enum Kind: Sendable {
    /// A name, which may be cut.
    case name
    /// A text that is shown as it is.
    case text
    /// A number, which is aligned at its end.
    case number
  }

  private static let gap = 2
  /// A name is not cut to less.
  private static let least = 6

  private let kinds: [Kind]
  private var rows: [[String]]

  /// Begins with the titles.
  public init(_ columns: [(title: String, kind: Kind)]) {
    kinds = columns.map(\.kind)
    rows = [columns.map(\.title)]
  }

  /// Adds a row; cells that are left out are empty.
  public mutating func add(_ cells: [String]) {
    rows.append(kinds.indices.map { $0 < cells.count ? cells[$0] : "" })
  }

  /// The rows as lines.
  ///
  /// - Parameter columns: of the terminal; `nil` if there is none.
  public func lines(fitting columns: Int?) -> [String] {
    let widths = kinds.indices.map { column in rows.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
    let shown = columns.map { cut(widths, to: $0) } ?? widths
    if let columns, shown.reduce(0, +) + Self.gap * max(0, shown.count - 1) > columns {
      return stacked(fitting: columns)
    }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        let text = kinds[column] == .name ? DisplayWidth.cut(cell, to: shown[column]) : cell
        let space = String(repeating: " ", count: max(0, shown[column] - DisplayWidth.of(text)))
        if column > 0 { line += String(repeating: " ", count: Self.gap) }
        line += kinds[column] == .number ? space + text : text + space
      }
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// The first cell of each row, and below it the others that hold something, each after its title.
  private func stacked(fitting columns: Int) -> [String] {
    guard let titles = rows.first else { return [] }
    return rows.dropFirst().flatMap { row in
      kinds.indices.compactMap { column in
        guard column == 0 || !row[column].isEmpty else { return nil as String? }
        let title = titles[column].isEmpty ? "" : "\(titles[column]): "
        let start = column == 0 ? "" : "  \(title)"
        let room = max(Self.least, columns - DisplayWidth.of(start))
        return start + (kinds[column] == .name ? DisplayWidth.cut(row[column], to: room) : row[column])
      }
    }
  }

  /// The widths with the widest names cut, until a row fits or nothing more can be cut.
  private func cut(_ widths: [Int], to columns: Int) -> [Int] {
    var widths = widths
    var excess = widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) - columns
    let names = kinds.indices.filter { kinds[$0] == .name }
    while excess > 0, let widest = names.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.least {
      // Down to the next name in one step, for a name may be very long.
      let next = names.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
      let step = min(excess, max(1, widths[widest] - max(next, Self.least)), widths[widest] - Self.least)
      widths[widest] -= step
      excess -= step
    }
    return widths
  }
}
