/// How much of each kind a page shows; what is left out is counted and said.
enum PageLimits {
  static let applications = 40
  static let documents = 60
  /// Rows and columns of a matrix, and rows of a timeline.
  static let authors = 32
  static let findings = 800
  static let folders = 1_200
  /// A folder's parents on the page.
  static let depth = 8
}
