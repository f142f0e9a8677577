/// In which order key files are tried where there are more than can be.
///
/// Nothing tells the right one from those of strangers before it is open, so chance decides, and whoever tries again gets through. Most
/// storage also says when a file was written, and strangers come later than those who founded: every other turn is that of the oldest
/// file left. Who can set such times as well has won these turns and no others.
struct KeyFileOrder {
  /// When files were written, as far as the storage says.
  let written: [KeyFileName: Duration]

  func mixed<Element>(_ elements: [Element], _ name: (Element) -> KeyFileName) -> [Element] {
    let random = elements.shuffled()
    let oldest = random.indices.filter { written[name(random[$0])] != nil }
      .sorted { (written[name(random[$0])] ?? .zero) < (written[name(random[$1])] ?? .zero) }
    guard !oldest.isEmpty else { return random }
    var taken: Set<Int> = []
    var mixed: [Element] = []
    var (byAge, byChance) = (oldest.makeIterator(), random.indices.makeIterator())
    func next(_ indices: () -> Int?) {
      while let index = indices() {
        guard taken.insert(index).inserted else { continue }
        mixed.append(random[index])
        return
      }
    }
    while mixed.count < random.count {
      next { byAge.next() }
      next { byChance.next() }
    }
    return mixed
  }
}
