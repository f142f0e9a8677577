/// A program is killed right before the system does what it asks for the n-th time: `strace --inject`.
package struct FatalRequest {
  package enum Kind: String, CaseIterable {
    case write, flush, truncate, rename, unlink
    case writePage = "page"

    /// The names of system calls; those that a machine does not have are passed over.
    var calls: String {
      switch self {
      case .write: "write"
      case .writePage: "pwrite64"
      case .flush: "?fsync,?fdatasync"
      case .truncate: "ftruncate"
      case .rename: "?rename,?renameat,?renameat2"
      case .unlink: "?unlink,?unlinkat"
      }
    }

    /// Which are tried. Pages of a database are many, and alike.
    package var numbers: StrideTo<Int> { stride(from: 1, to: 80, by: self == .writePage ? 6 : 1) }
  }

  package var kind: Kind
  package var number: Int

  package init(kind: Kind, number: Int) {
    self.kind = kind
    self.number = number
  }

  package func run(_ words: [String]) async throws -> Subprocess.Result {
    try await Subprocess.run(
      ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\(kind.calls):signal=KILL:when=\(number)"]
        + words)
  }

  package static var isPossible: Bool {
    get async {
      (try? await Subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "true"]).ending) == .exited(0)
    }
  }
}
