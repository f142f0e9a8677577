import Foundation
import TICDSOpenSSL

/// A report as one HTML page that needs nothing else: no network, no script, no font.
///
/// All that a page may run or draw with are its own style and script, named by their hashes in its Content-Security-Policy.
public struct ReportPage: Sendable {
  /// What every page begins with.
  public static let beginning = "<!DOCTYPE html>"

  /// The source of the page.
  public let html: String

  /// Draws a report.
  public init(_ report: RemoteReport) {
    let names = AuthorNames(report.overview)
    let sections: [(id: Markup, title: Markup, content: Markup)] = [
      ("summary", "Summary", SummarySection(report: report).markup),
      ("findings", "Findings", FindingsSection(verification: report.verification).markup),
      ("documents", "Documents", DocumentsSection(report: report, names: names).markup),
      ("changes", "Newest changes", ChangesSection(sets: report.newest, names: names).markup),
      ("hierarchy", "Hierarchy", HierarchySection(root: report.root).markup),
    ]
    let links = Markup.joined(sections.map { "<li><a href=\"#\($0.id)\">\($0.title)</a></li>" })
    let content = Markup.joined(
      sections.map { section in
        """
        <section id="\(section.id)" aria-labelledby="\(section.id)-title">
        <h2 id="\(section.id)-title">\(section.title)</h2>
        \(section.content)
        </section>

        """
      })
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '\(Self.hash(PageStyle.source))'; script-src '\(Self.hash(PageScript.source))'; base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>Report on \(report.remote)</title>
      <style>\(PageStyle.markup)</style>
      </head>
      <body>
      <a class="skip" href="#main">Skip to the content</a>
      <header>
      <p class="kicker">ticds-inspect report</p>
      <h1>\(report.remote)</h1>
      <p class="made">Made \(Wording.time(report.made)) UTC. Nothing on the remote was changed.</p>
      <nav aria-label="Sections"><ul>\(links)</ul></nav>
      </header>
      <main id="main" tabindex="-1">
      \(content)</main>
      <footer><p>All times are in UTC, as the clocks of the devices had them.</p></footer>
      <script>\(PageScript.markup)</script>
      </body>
      </html>

      """
    html = page.source
  }

  /// The name of an inline style or script in a policy.
  private static func hash(_ source: StaticString) -> String {
    let digest = SHA256.hash(Array(source.description.utf8)).withUnsafeBytes { Data($0) }
    return "sha256-\(digest.base64EncodedString())"
  }
}
