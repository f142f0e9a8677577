import Crypto

/// In which order key files are tried where there are more than can be.
///
/// Nothing tells the right one from those of strangers before it is open, and whoever writes to the storage can set dates and invent records. So
/// nothing of that decides; each has some of the turns, and half of them are chance's: the oldest file of those that founding records
/// name, one of these at random, the newest of these, and any file at random. An attacker who wins some kinds of turns has won no others, and one who
/// puts all dates on one side of the genuine file's loses on the other.
struct KeyFileOrder {
  /// When files were written, as far as the storage says.
  let written: [KeyFileName: Duration]
  /// The keys that founding records name.
  let first: Set<KeyIdentifier>

  func mixed<Element>(_ elements: [Element], _ name: (Element) -> KeyFileName) -> [Element] {
    let random = elements.shuffled()
    let named = random.indices.filter { first.contains(name(random[$0]).key) }
    let cited = named.isEmpty ? Array(random.indices) : named
    let byAge = cited.compactMap { index in written[name(random[index])].map { (index, $0) } }
      .sorted { $0.1 < $1.1 }.map(\.0)
    var turns = [byAge, cited, byAge.reversed(), Array(random.indices)].map { $0.makeIterator() }
    var taken: Set<Int> = []
    var mixed: [Element] = []
    while mixed.count < random.count {
      for kind in turns.indices {
        while let index = turns[kind].next() {
          guard taken.insert(index).inserted else { continue }
          mixed.append(random[index])
          break
        }
      }
    }
    return mixed
  }
}
