import ChangeTracking
import ShownText

/// When each author made sets: a row of bars for each, over the same time and in the same scale.
struct TimelineChart {
  let timeline: Timeline
  let names: AuthorNames

  private static let width = 600
  private static let height = 32

  var markup: Markup {
    let authors = timeline.periods.keys.sorted { (names[$0], $0) < (names[$1], $1) }
    let most = timeline.periods.values.joined().map(\.sets).max() ?? 0
    let rows = authors.prefix(PageLimits.authors).enumerated().map { index, author -> Markup in
      let periods = timeline.periods[author] ?? []
      let sets = periods.reduce(0) { $0 + $1.sets }
      return """
        <tr><th scope="row">\(names[author])</th><td class="number">\(sets)</td><td class="chart">\
        <svg viewBox="0 0 \(Self.width) \(Self.height)" preserveAspectRatio="none" role="img" aria-label="\(words(periods))" class="device-\(index % 6)">\
        <line x1="0" y1="\(Self.height)" x2="\(Self.width)" y2="\(Self.height)" class="axis"/>\(bars(periods, most))</svg></td></tr>

        """
    }
    let hidden = authors.count - rows.count
    let rest: Markup = hidden > 0 ? " (\(hidden) more authors are not shown)" : ""
    return """
      <div class="scroll" tabindex="0" role="region" aria-label="Timeline"><table class="timeline">
      <caption>When sets were made, from \(Wording.time(timeline.start)) to \(Wording.time(timeline.end))\(rest)</caption>
      <thead><tr><th scope="col">Device</th><th scope="col" class="number">Sets</th><th scope="col">Over time; the highest bar is \(Wording.count(most, "set", "sets"))</th></tr></thead>
      <tbody>
      \(Markup.joined(rows))</tbody></table></div>
      """
  }

  private func bars(_ periods: [Timeline.Period], _ most: Int) -> Markup {
    let step = Self.width / Timeline.count
    return Markup.joined(
      periods.enumerated().compactMap { index, period in
        guard period.sets > 0, most > 0 else { return nil }
        let height = max(3, period.sets * Self.height / most)
        return """
          <rect x="\(index * step + 1)" y="\(Self.height - height)" width="\(step - 2)" height="\(height)"><title>\
          \(Wording.time(timeline.start(ofPeriod: index))): \(Wording.count(period.sets, "set", "sets")), \(ByteSize.text(period.bytes))</title></rect>
          """
      })
  }

  /// What the bars show, for who does not see them.
  private func words(_ periods: [Timeline.Period]) -> String {
    let used = periods.indices.filter { periods[$0].sets > 0 }
    guard let first = used.first, let last = used.last,
      let busiest = used.max(by: { periods[$0].sets < periods[$1].sets })
    else { return "no sets" }
    return """
      From \(Wording.time(timeline.start(ofPeriod: first))) to \(Wording.time(timeline.start(ofPeriod: last + 1))), \
      most from \(Wording.time(timeline.start(ofPeriod: busiest))) on: \(Wording.count(periods[busiest].sets, "set", "sets"))
      """
  }
}
