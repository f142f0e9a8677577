import Inspection
import ShownText

/// Folders that open to what lies in them.
struct HierarchySection {
  let root: ReportFolder

  var markup: Markup {
    // Many documents with many authors would make the page as long as the remote.
    var budget = PageLimits.folders
    let content = inside(root, depth: 0, &budget)
    return """
      <form class="filter" hidden><button type="button" data-open="tree">Open all</button> <button type="button" data-close="tree">Close all</button></form>
      <div id="tree" class="tree">\(content)</div>
      """
  }

  private func inside(_ folder: ReportFolder, depth: Int, _ budget: inout Int) -> Markup {
    var items = Markup.empty
    var hidden = folder.hiddenFolders
    for inner in folder.folders {
      guard budget > 0, depth < PageLimits.depth else {
        hidden += 1
        continue
      }
      budget -= 1
      items += item(inner, depth: depth, &budget)
    }
    if hidden > 0 {
      items += "<li class=\"rest\">\(Wording.count(hidden, "more folder", "more folders"))</li>\n"
    }
    if folder.hiddenFiles > 0 {
      items += "<li class=\"rest\">\(Wording.count(folder.hiddenFiles, "file", "files")) before these</li>\n"
    }
    for file in folder.files {
      items += """
        <li><span class="path">\(file.name)</span> <span class="role">\(file.role.words)</span> \
        <span class="count">\(file.size.map(ByteSize.text) ?? "")</span></li>

        """
    }
    return "<ul>\n\(items)</ul>"
  }

  private func item(_ folder: ReportFolder, depth: Int, _ budget: inout Int) -> Markup {
    let failure: Markup =
      folder.failure.map { "<span class=\"badge error\">cannot be listed</span> \($0)" } ?? ""
    let isOpen: Markup = depth < 2 ? " open" : ""
    return """
      <li><details\(isOpen)><summary><span class="path">\(folder.name)/</span> <span class="role">\(folder.role.words)</span> \
      <span class="count">\(Wording.count(folder.amount.files, "file", "files")), \(ByteSize.text(folder.amount.bytes))</span> \(failure)</summary>
      \(inside(folder, depth: depth + 1, &budget))</details></li>

      """
  }
}
