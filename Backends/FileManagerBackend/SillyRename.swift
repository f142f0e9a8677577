/// Names under which a file system keeps a removed file for as long as somebody has it open.
///
/// NFS calls that a silly rename. Where it is done, a file that was closed and then removed may still show for a moment: a driver
/// in user space learns of the closing later than of the removal. Such a file is gone for everybody else.
enum SillyRename {
  /// What follows the prefix are hexadecimal digits, a fixed number of them: Linux's NFS client writes a file number of 64 bits and
  /// a counter of 32 (`nfs_sillyrename`), libfuse a node and a counter of 32 bits each (`hide_node`).
  private static let forms = [(prefix: ".nfs", digits: 24), (prefix: ".fuse_hidden", digits: 16)]

  static func matches(_ name: String) -> Bool {
    forms.contains { form in
      let digits = name.dropFirst(form.prefix.count)
      return name.hasPrefix(form.prefix) && digits.count == form.digits
        && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
    }
  }
}
