import Inspection

/// Who has seen what: a row for each author, a column for each whose sets it may have merged.
struct SeenMatrix {
  let document: RemoteOverview.Document
  let names: AuthorNames

  var markup: Markup {
    let authors = document.authors.prefix(PageLimits.authors)
    guard authors.count > 1 else { return "" }
    let columns = authors.map { author -> Markup in
      "<th scope=\"col\"><span>\(names[author.author])</span></th>"
    }
    let rows = authors.map { reader -> Markup in
      let cells = authors.map { cell(reader, $0) }
      return "<tr><th scope=\"row\">\(names[reader.author])</th>\(Markup.joined(cells))</tr>\n"
    }
    return """
      <div class="scroll" tabindex="0" role="region" aria-label="Who has seen what of \(document.identifier)"><table class="matrix">
      <caption>Who has seen what: sets of the column's author that the row's author has merged, as of its newest head</caption>
      <thead><tr><td></td>\(Markup.joined(columns))</tr></thead>
      <tbody>
      \(Markup.joined(rows))</tbody></table></div>
      """
  }

  private func cell(_ reader: RemoteOverview.Author, _ writer: RemoteOverview.Author) -> Markup {
    if reader.author == writer.author { return "<td class=\"self\">its own</td>" }
    if writer.lastSet == 0 { return "<td class=\"unknown\">no sets</td>" }
    guard let content = reader.content else { return "<td class=\"unknown\">not known</td>" }
    let merged = content.vector[writer.author]
    if merged >= writer.lastSet { return "<td class=\"all\">all \(writer.lastSet)</td>" }
    if writer.isSuperseded { return "<td class=\"all\">said again by others</td>" }
    return "<td class=\"behind\">\(merged) of \(writer.lastSet)</td>"
  }
}
