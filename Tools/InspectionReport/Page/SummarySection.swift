import Inspection
import ShownText

/// The verdict, and totals.
struct SummarySection {
  let report: RemoteReport

  var markup: Markup {
    let documents = report.overview.applications.flatMap(\.documents)
    let sets = documents.reduce(0) { $0 + $1.sets.files }
    let authors = documents.reduce(0) { $0 + $1.authors.count }
    return """
      <p class="verdict \(style)"><strong>\(title)</strong> \(explanation)</p>
      <dl class="figures">
      \(figure("Documents", "\(documents.count)"))\
      \(figure("Authors", "\(authors)"))\
      \(figure("Change sets", "\(sets)"))\
      \(figure("Files", "\(report.root.amount.files)"))\
      \(figure("Size", ByteSize.text(report.root.amount.bytes)))\
      \(figure("Findings", "\(report.verification.findings.count)"))\
      </dl>
      \(applications)
      """
  }

  private func figure(_ name: Markup, _ value: String) -> Markup {
    "<div><dt>\(name)</dt><dd>\(value)</dd></div>\n"
  }

  private var applications: Markup {
    let rows = report.overview.applications.prefix(PageLimits.applications).map { application -> Markup in
      let devices = application.clients.prefix(PageLimits.authors)
        .map { $0.description ?? $0.identifier }.joined(separator: ", ")
      return """
        <tr><th scope="row">\(application.name)</th><td>\(words(application.protection))</td>\
        <td>\(devices.isEmpty ? "none" : devices)</td><td class="number">\(application.documents.count)</td>\
        <td class="number">\(application.files.files)</td><td class="number">\(ByteSize.text(application.files.bytes))</td></tr>

        """
    }
    return """
      <div class="scroll" tabindex="0" role="region" aria-label="Applications"><table>
      <caption>Applications</caption>
      <thead><tr><th scope="col">Application</th><th scope="col">Encryption</th><th scope="col">Devices</th>\
      <th scope="col" class="number">Documents</th><th scope="col" class="number">Files</th><th scope="col" class="number">Size</th></tr></thead>
      <tbody>
      \(Markup.joined(rows))</tbody></table></div>
      """
  }

  private func words(_ protection: RemoteOverview.Application.Protection) -> Markup {
    switch protection {
    case .none: "not encrypted"
    case .unlocked: "encrypted; the password opens it"
    case .locked: "encrypted; its content was not opened"
    }
  }

  private var style: Markup {
    switch report.verification.outcome {
    case .healthy: "good"
    case .warnings, .unchecked: "warning"
    case .damaged: "error"
    }
  }

  private var title: Markup {
    switch report.verification.outcome {
    case .healthy: "Healthy."
    case .warnings: "Warnings."
    case .damaged: "Damaged."
    case .unchecked: "Not everything could be checked."
    }
  }

  private var explanation: Markup {
    switch report.verification.outcome {
    case .healthy: "Everything that lies there was read, and nothing is wrong."
    case .warnings: "Something is late or missing that may still arrive, or that devices put back."
    case .damaged: "Something is lost, damaged or not genuine. See the findings for what can be done."
    case .unchecked: "Storage did not deliver some files or folders. What it did deliver is not damaged."
    }
  }
}
