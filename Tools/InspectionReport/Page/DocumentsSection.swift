import Inspection
import ShownText

/// Each document: who writes it, who has seen what, when sets were made, how it grew.
struct DocumentsSection {
  let report: RemoteReport
  let names: AuthorNames

  var markup: Markup {
    let documents = report.overview.applications.flatMap { application in
      application.documents.map { (application, $0) }
    }
    guard !documents.isEmpty else { return "<p>There is no document.</p>" }
    let shown = documents.prefix(PageLimits.documents).enumerated().map { index, pair in
      article(pair.1, of: pair.0, index)
    }
    let hidden = documents.count - shown.count
    let rest: Markup =
      hidden > 0
      ? "<p>\(hidden) more documents are not shown; <code>ticds-inspect documents</code> lists all.</p>" : ""
    return "\(Markup.joined(shown))\(rest)"
  }

  private func article(
    _ document: RemoteOverview.Document, of application: RemoteOverview.Application, _ index: Int
  ) -> Markup {
    let key = RemoteReport.DocumentKey(application: application.name, document: document.identifier)
    let activity = report.activities[key]
    let timeline = activity.flatMap { Timeline($0) }
    let title: Markup =
      if let description = document.description, !description.isEmpty {
        "\(description) <small>\(document.identifier)</small>"
      } else {
        "\(document.identifier)"
      }
    let foundings: Markup =
      document.foundings > 1 ? " It was founded \(document.foundings) times while devices were apart." : ""
    return """
      <article aria-labelledby="document-\(index)">
      <h3 id="document-\(index)">\(title)</h3>
      <p>Application \(application.name): \(Wording.count(document.sets.files, "set", "sets")), \(ByteSize.text(document.sets.bytes)); \
      \(Wording.count(document.longValues.files, "long value", "long values")), \(ByteSize.text(document.longValues.bytes)); \
      \(Wording.count(document.wholeStores.files, "whole store", "whole stores")), \(ByteSize.text(document.wholeStores.bytes)).\(foundings)\(notes(activity))</p>
      \(authors(document))
      \(SeenMatrix(document: document, names: names).markup)
      \(timeline.map { TimelineChart(timeline: $0, names: names).markup } ?? "<p>When sets were made is not known, because none could be read.</p>")
      \(timeline.map { GrowthChart(timeline: $0).markup } ?? "")
      </article>

      """
  }

  private func notes(_ activity: DocumentActivity?) -> Markup {
    guard let activity else { return "" }
    var notes = Markup.empty
    if activity.unreadable > 0 {
      notes += " \(Wording.count(activity.unreadable, "set", "sets")) could not be read."
    }
    if activity.implausible > 0 {
      notes +=
        " \(Wording.count(activity.implausible, "set bears", "sets bear")) a time that cannot be, and is left out of the charts."
    }
    return notes
  }

  private func authors(_ document: RemoteOverview.Document) -> Markup {
    let rows = document.authors.prefix(PageLimits.authors).map { author -> Markup in
      let unseen: Markup =
        switch author.unseen {
        case nil: "not known"
        case 0: "<span class=\"badge good\">everything</span>"
        case .some(let number): "<span class=\"badge warning\">all but \(number)</span>"
        }
      return """
        <tr><th scope="row">\(names[author.author])</th><td><code>\(author.author.description)</code></td>\
        <td class="number">\(author.sets.files)</td><td class="number">\(ByteSize.text(author.sets.bytes))</td>\
        <td class="number">\(author.head.map { "\($0.sequence)" } ?? "no head")</td><td>\(unseen)</td>\
        <td>\(author.content.map { Wording.time(milliseconds: $0.time) } ?? "not known")</td></tr>

        """
    }
    return """
      <div class="scroll" tabindex="0" role="region" aria-label="Authors of \(document.identifier)"><table>
      <caption>Who writes it\(leftOut(document))</caption>
      <thead><tr><th scope="col">Device</th><th scope="col">Author</th><th scope="col" class="number">Sets</th>\
      <th scope="col" class="number">Size</th><th scope="col" class="number">Pushed</th><th scope="col">Has seen</th><th scope="col">Last head</th></tr></thead>
      <tbody>
      \(Markup.joined(rows))</tbody></table></div>
      """
  }

  private func leftOut(_ document: RemoteOverview.Document) -> Markup {
    let hidden = document.authors.count - PageLimits.authors
    return hidden > 0 ? " (\(hidden) more are not shown)" : ""
  }
}
