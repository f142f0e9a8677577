import Testing

@testable import InspectionReport

@Suite struct MarkupTests {
  @Test(arguments: [
    ("<script>", "&lt;script&gt;"), ("\" onload='x", "&quot; onload=&#39;x"), ("&lt;", "&amp;lt;"),
    ("a\u{202E}b", "a\\u{202e}b"), ("a\u{0}b", "a\\u{0}b"), ("Müller & Söhne", "Müller &amp; Söhne"),
  ])
  func `text comes into markup escaped`(text: String, source: String) {
    let markup: Markup = "<p>\(text)</p>"
    #expect(markup.source == "<p>\(source)</p>")
  }

  @Test func `markup comes into markup as it is`() {
    let inner: Markup = "<b>\(7)</b>"
    let outer: Markup = "<p>\(inner)</p>"
    #expect(outer.source == "<p><b>7</b></p>")
  }

  @Test func `a text of a million marks on one letter is cut`() {
    let markup: Markup = "\("a" + String(repeating: "\u{301}", count: 1_000_000))"
    #expect(markup.source.utf8.count < 2_000)
  }
}
