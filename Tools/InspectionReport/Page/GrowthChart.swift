import ShownText
import UntrustedBytes

/// How the sets of a document grew: the sum of their sizes by the time at which they were made.
struct GrowthChart {
  let timeline: Timeline

  private static let width = 600
  private static let height = 120

  var markup: Markup {
    let periods = timeline.total
    var sums: [Int64] = []
    for period in periods { sums.append((sums.last ?? 0).saturatingSum(period.bytes)) }
    let total = sums.last ?? 0
    let rows = periods.indices.filter { periods[$0].sets > 0 }.map { index -> Markup in
      """
      <tr><th scope="row">\(Wording.time(timeline.start(ofPeriod: index)))</th><td class="number">\(periods[index].sets)</td>\
      <td class="number">\(ByteSize.text(periods[index].bytes))</td><td class="number">\(ByteSize.text(sums[index]))</td></tr>

      """
    }
    return """
      <figure>
      <figcaption>Size of all sets over time, up to \(ByteSize.text(total))</figcaption>
      <svg viewBox="0 0 \(Self.width) \(Self.height)" preserveAspectRatio="none" role="img" class="growth" \
      aria-label="Grown to \(ByteSize.text(total)); the table below has the figures">\(grid)\(area(sums, total))</svg>
      <details><summary>Sizes as a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Sizes over time"><table>
      <thead><tr><th scope="col">From</th><th scope="col" class="number">Sets</th><th scope="col" class="number">Bytes in them</th>\
      <th scope="col" class="number">Sum</th></tr></thead>
      <tbody>
      \(Markup.joined(rows))</tbody></table></div></details>
      </figure>
      """
  }

  private var grid: Markup {
    Markup.joined(
      (1...3).map { line in
        let y = Self.height * line / 4
        return "<line x1=\"0\" y1=\"\(y)\" x2=\"\(Self.width)\" y2=\"\(y)\" class=\"grid\"/>"
      })
  }

  private func area(_ sums: [Int64], _ total: Int64) -> Markup {
    guard total > 0 else { return "" }
    let step = Self.width / sums.count
    var points: Markup = "0,\(Self.height)"
    for (index, sum) in sums.enumerated() {
      let y = Self.height - Int(Double(sum) / Double(total) * Double(Self.height - 4))
      points += " \(index * step),\(y) \((index + 1) * step),\(y)"
    }
    points += " \(Self.width),\(Self.height)"
    return "<polygon points=\"\(points)\"/>"
  }
}
