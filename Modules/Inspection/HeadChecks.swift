import ChangeTracking
import SyncProtocol

/// Checks each author's newest head: its content, and what it names against the sets.
struct HeadChecks {
  let reader: DocumentReader
  let remote: String
  /// Of each author, the last set that need not be there.
  let floor: VersionVector
  /// Those of the application.
  let documents: [DocumentReader]

  func run(_ verification: inout Verification) async {
    let sets = reader.setsByAuthor
    let last = sets.mapValues { $0.map(\.name.sequence).max() ?? 0 }
    let newest = reader.newestHeads
    verification.heads += reader.heads.count
    // Who was removed may have written with a key that is gone with that device, and nobody waits for it.
    let removed = reader.removed
    let withLostKeys = reader.application.keys.isEncrypted ? removed : []
    verification.findings += reader.forged(forgedNames(besides: withLostKeys), among: documents)
    await checkOthers(&verification)
    await checkMembers(&verification)
    await checkMentions(sets, &verification)
    let clients = reader.application.clients
    let areClientsListed = reader.application.unlisted.isListed(reader.hierarchy.application.clientDevices)
    var unseen: [AuthorID: Unseen] = [:]
    for (author, head) in newest.sorted(by: { $0.key < $1.key }) {
      let path = reader.hierarchy.file(of: head).description
      verification.findings += against(sets[author] ?? [], besides: verification.unusable, head, path)
      if let named = head.set, named.sequence > floor[author], reader.areSetsListed(of: author),
        sets[author]?.contains(where: { $0.name == named }) != true
      {
        verification.lost.append(
          .init(document: reader.hierarchy, subject: .set(author: author, sequence: named.sequence)))
      }
      do {
        let content = try await reader.read(head)
        verification.findings += contradiction(content, path)
        note(content, last, path, in: &unseen)
        let root = reader.hierarchy.root
        if verification.seen[root]?.sequences.count ?? 0 < Self.seenLimit {
          verification.seen[root] = (verification.seen[root] ?? VersionVector()).union(content.vector)
        }
        // Who removes a device from all documents takes away what describes it.
        if areClientsListed, !clients.contains(content.client), !removed.contains(author) {
          verification.findings.append(undescribed(content))
          verification.undescribed.insert(content.client)
        }
      } catch {
        if !verification.passesOver(error, at: reader.hierarchy.file(of: head)) {
          verification.findings.append(damaged(error, reader.hierarchy.file(of: head)))
        }
      }
    }
    checkRivals(sets, &verification)
    verification.findings += missing(unseen, sets)
    if unseen.count >= Self.unseenLimit { verification.findings.append(manyUnseen) }
    noteLost(unseen, last, &verification)
    verification.findings += untold(verification)
    // Without a founding record no head can be judged, and that is what is missing.
    if reader.isOfLostKey || reader.isWithoutRecord || !reader.areHeadsListed { return }
    let superseded = reader.superseded
    var elsewhere: [AuthorID: DocumentHierarchy]?
    let unjudged = reader.authorsOfOtherKeys
    let misplaced = Set(verification.findings.filter { $0.code == .misplaced }.map(\.path))
    for (author, files) in sets.sorted(by: { $0.key < $1.key })
    where newest[author] == nil && !unjudged.contains(author)
      && files.contains(where: { $0.name.sequence > superseded[author] ?? 0 })
    {
      // Of those in a wrong folder it is said whose they are.
      if files.allSatisfy({ misplaced.contains($0.path.description) }) { continue }
      let folder = reader.hierarchy.changes(of: author).description
      if let last = files.last,
        let mentioned = reader.mentions[author]?.filter({
          $0 == last.name || $0.sequence > last.name.sequence
        }).max()
      {
        verification.findings.append(
          Finding(
            .headMentioned, path: folder,
            message:
              "No head of this author is there; a mention names set \(mentioned.sequence), the last one.",
            next:
              "Nothing need be done. The device that made them publishes a head with its next sync, unless it goes on as another author by now."
          ))
        continue
      }
      // What does not open beside what is left of a deleted document is of that.
      if !reader.remains.foundings.isEmpty, files.allSatisfy({ verification.unusable.contains($0.path) }) {
        continue
      }
      let known = elsewhere ?? reader.authorsNamedElsewhere()
      elsewhere = known
      let other = known[author]?.changes(of: author)
      if other != nil { verification.mixed.insert(reader.hierarchy.root) }
      verification.findings.append(
        Finding(
          .missingHead, path: folder,
          message:
            "No head names the \(files.count == 1 ? "set" : "\(files.count) sets") of this author, so no device that has joined applies them; one that joins now does, and tells the others.\(other == nil ? "" : " Another document names him.")",
          next: other.map {
            "They belong in “\($0)”. A repair moves there all that opens as such: ticds-inspect repair \(remote)"
          }
            ?? "Sync the device that made them; it publishes its head anew. Only if no device of this document has ever made them, move the folder away before anybody joins. If their device is gone, a repair names them: ticds-inspect repair \(remote)"
        ))
    }
  }

  /// Names that nobody who has the keys at hand has written, but those of authors who were removed.
  private func forgedNames(besides removed: Set<AuthorID>) -> [DocumentReader.NamedFile] {
    let hierarchy = reader.hierarchy
    let heads = reader.heads.filter { !removed.contains($0.author) }.map { head in
      (head as any CodedName, hierarchy.file(of: head))
    }
    let others = reader.entries.compactMap { node -> DocumentReader.NamedFile? in
      switch node.role {
      case .request(let request) where !removed.contains(request.asker):
        (request, hierarchy.file(of: request))
      case .mention(let mention): (mention, hierarchy.file(of: mention))
      case .supersession(let statement): (statement, hierarchy.file(of: statement))
      case .floor(let floor): (floor, hierarchy.file(of: floor))
      case .removal(let removal): (removal, hierarchy.file(of: removal))
      case .deviceName(let name) where !removed.contains(name.author): (name, hierarchy.file(of: name))
      default: nil
      }
    }
    return (heads + others).filter { name, _ in reader.isForged(name) }
  }

  /// Checks what lies beside the heads: requests, which are empty, and statements that sets are said again.
  private func checkOthers(_ verification: inout Verification) async {
    for node in reader.entries {
      guard let path = node.path else { continue }
      switch node.role {
      case .request where node.size ?? 0 > 0:
        verification.findings.append(
          Finding(
            .requestNotEmpty, path: path.description,
            message: "A request holds something although its name says all. No device reads it.",
            next: "Remove it; who still waits asks again."))
      case .supersession(let statement)
      where verification.depth == .data && reader.isGenuine(statement) != false:
        do throws(ReadingFailure) {
          try await reader.check(statement)
        } catch {
          if !verification.passesOver(error, at: path) {
            verification.findings.append(damaged(error, path))
          }
        }
      case .floor(let floor) where reader.isGenuine(floor) != false:
        do throws(ReadingFailure) {
          _ = try await reader.read(floor)
        } catch {
          if !verification.passesOver(error, at: path) {
            verification.findings.append(damaged(error, path))
          }
        }
      default: continue
      }
    }
  }

  /// Checks what is said of devices: that they were removed, what they are called.
  private func checkMembers(_ verification: inout Verification) async {
    for node in reader.entries {
      guard let path = node.path else { continue }
      do throws(ReadingFailure) {
        switch node.role {
        case .removal(let removal) where reader.isGenuine(removal) != false:
          _ = try await reader.read(removal)
        case .deviceName(let name) where reader.isGenuine(name) != false:
          _ = try await reader.read(name)
        default: continue
        }
      } catch {
        if verification.passesOver(error, at: path) { continue }
        verification.findings.append(
          damaged(
            error, path,
            next: "Nothing depends on what it says. Devices that have read it go on as they were told."))
      }
    }
  }

  /// Checks that what a device has merged of an author is there, although no head says so.
  private func checkMentions(
    _ sets: [AuthorID: [DocumentReader.SetFile]], _ verification: inout Verification
  ) async {
    guard !reader.mentions.isEmpty else { return }
    let (superseded, unreadableFloor) = (reader.superseded, reader.unreadableFloor)
    for (author, mentioned) in reader.mentions.sorted(by: { $0.key < $1.key })
    where reader.areSetsListed(of: author) {
      let present = Set((sets[author] ?? []).map(\.name))
      // What a floor may have to do with that nobody can open is told of the gap.
      let passed = max(floor[author], superseded[author] ?? 0, unreadableFloor)
      // The head that names one is a finding of its own.
      let missing = mentioned.filter {
        $0.sequence > passed && !present.contains($0) && reader.newestHeads[author]?.set != $0
      }.sorted()
      verification.lost += missing.prefix(Verification.gapLimit).map {
        .init(document: reader.hierarchy, subject: .set(author: author, sequence: $0.sequence))
      }
      // What is missing between others is a gap, which is told of once.
      let (numbers, last) = (Set(present.map(\.sequence)), present.map(\.sequence).max() ?? 0)
      let untold = missing.filter { $0.sequence > last || numbers.contains($0.sequence) }
      guard let first = untold.first else { continue }
      let what = untold.count == 1 ? "A mention names" : "Mentions name \(untold.count) sets, the first is"
      verification.findings.append(
        Finding(
          .missingSet, path: reader.hierarchy.changes(of: author).description,
          message: "\(what) set \(first.sequence), which is not there: it is late or lost.",
          next: Finding.waiting(remote)))
    }
  }

  /// Checks that what the heads of copies of a store name is there, beside what its newest head names.
  private func checkRivals(
    _ sets: [AuthorID: [DocumentReader.SetFile]], _ verification: inout Verification
  ) {
    for head in reader.rivalHeads(among: sets)
    where head.sequence > max(floor[head.author], reader.superseded[head.author] ?? 0) {
      verification.lost.append(
        .init(document: reader.hierarchy, subject: .set(author: head.author, sequence: head.sequence)))
      verification.findings.append(
        Finding(
          .missingSet, path: reader.hierarchy.file(of: head).description,
          message:
            "The head names a set \(head.sequence) that is not there: it is late or lost. The one that is there comes from another copy of the store.",
          next: Finding.waiting(remote)))
    }
  }

  private func undescribed(_ head: Head) -> Finding {
    Finding(
      .deviceUndescribed, path: reader.hierarchy.application.clientDevices.description,
      message:
        "There is no folder of the client \(head.client), “\(DeviceName.shown(head.clientDescription))”. Nothing depends on it.",
      next: "Nothing needs to be done.")
  }

  private func against(
    _ sets: [DocumentReader.SetFile], besides unusable: Set<RemotePath>, _ head: HeadName, _ path: String
  ) -> [Finding] {
    var findings: [Finding] = []
    // An old head that storage has brought back names what whole stores contain by now.
    if let named = head.set, named.sequence > floor[head.author], reader.areSetsListed(of: head.author),
      !sets.contains(where: { $0.name == named })
    {
      findings.append(
        Finding(
          .missingSet, path: path,
          message: "The head names set \(named.sequence), which is not there: it is late or lost.",
          next: Finding.waiting(remote)))
    }
    let mentioned = reader.mentions[head.author]?.map(\.sequence).max() ?? 0
    // What is none of its sets is told of by itself.
    let later = sets.filter {
      $0.name.sequence > max(head.sequence, mentioned) && !unusable.contains($0.path)
    }
    if !later.isEmpty {
      findings.append(
        Finding(
          .unpublishedSets, path: path,
          message:
            "\(later.count == 1 ? "1 later set is" : "\(later.count) later sets are") there that no head names: a sync was interrupted, or runs now, or older heads were put back.",
          next:
            "Sync the device; it continues where it stopped. If it is gone, a repair names them: ticds-inspect repair \(remote)"
        ))
    }
    return findings
  }

  private func damaged(
    _ failure: ReadingFailure, _ path: RemotePath,
    next: String = "Sync the device that wrote it; its next one replaces it."
  ) -> Finding {
    Finding(
      failure, path: path, message: "The file cannot be used: \(failure.description).", next: next
    )
  }

  private func contradiction(_ head: Head, _ path: String) -> [Finding] {
    guard head.vector.total != head.name.seen else { return [] }
    return [
      Finding(
        .headContradicts, path: path,
        message: "The head's name says \(head.name.seen) sets seen, its content \(head.vector.total).",
        next: "Sync the device; its next head replaces this one.")
    ]
  }

  /// Authors whose missing sets are told one by one, and those that are noted of heads, at most.
  private static let (unseenLimit, seenLimit) = (1_024, 65_536)

  private var manyUnseen: Finding {
    Finding(
      .missingSet, path: reader.hierarchy.recentSyncs.description,
      message:
        "Heads name sets of \(Self.unseenLimit) authors and more that are not there; the others are not told one by one. No document has as many devices: somebody has invented heads, or nearly all sets are lost.",
      next: Finding.waiting(remote))
  }

  /// What devices say that they have applied of an author and that is not there.
  private struct Unseen {
    var sequence: UInt64
    var path: String
    var devices = DeviceNames()
  }

  private func note(
    _ head: Head, _ lastSets: [AuthorID: UInt64], _ path: String, in unseen: inout [AuthorID: Unseen]
  ) {
    guard head.vector.total == head.name.seen else { return }
    let superseded = reader.superseded
    for (author, sequence) in head.vector.sequences
    where sequence > max(lastSets[author] ?? 0, superseded[author] ?? 0, floor[author])
      && reader.areSetsListed(of: author)
    {
      // Whoever can write here invents authors.
      guard unseen.count < Self.unseenLimit || unseen[author] != nil else { continue }
      unseen[author, default: Unseen(sequence: 0, path: path)].devices.add(head)
      if sequence > unseen[author]?.sequence ?? 0 { unseen[author]?.sequence = sequence }
    }
  }

  /// Of an author of whom no head is left, nothing else tells how many sets there were.
  private func noteLost(
    _ unseen: [AuthorID: Unseen], _ lastSets: [AuthorID: UInt64], _ verification: inout Verification
  ) {
    for (author, found) in unseen where reader.newestHeads[author] == nil {
      let passed = max(lastSets[author] ?? 0, reader.superseded[author] ?? 0, floor[author])
      guard passed < found.sequence else { continue }
      for sequence in (passed + 1...found.sequence).prefix(Verification.gapLimit) {
        verification.lost.append(
          .init(document: reader.hierarchy, subject: .set(author: author, sequence: sequence)))
      }
    }
  }

  /// Authors of whom a whole store alone tells: what is there of each document tells of all who ever wrote in it.
  private func untold(_ verification: Verification) -> [Finding] {
    guard reader.areHeadsListed, reader.areSetsListed else { return [] }
    let stores = verification.storeContents.filter { $0.key.parent == reader.hierarchy.wholeStore }
    let told = Set(reader.newestHeads.keys).union(reader.mentions.keys).union(reader.setsByAuthor.keys)
      .union(reader.superseded.keys).union(reader.removed)
    let untold = stores.values.reduce(VersionVector()) { $0.union($1) }.sequences.filter {
      $0.value > 0 && !told.contains($0.key) && floor[$0.key] == 0
    }
    guard !untold.isEmpty else { return [] }
    let sets = untold.values.reduce(UInt64(0)) { $0.addingReportingOverflow($1).partialValue }
    return [
      Finding(
        .authorsUntold, path: reader.hierarchy.recentSyncs.description,
        message:
          "A whole store contains \(sets == 1 ? "1 set" : "\(sets) sets") of \(untold.count == 1 ? "an author" : "\(untold.count) authors") of whom no head and no set is there: storage has lost them, or went back.",
        next:
          "Sync each device that has joined; it publishes its head anew. Whoever joins begins with the whole store, and lacks only what was made after it."
      )
    ]
  }

  /// One finding for each author, however many devices have seen the set; none where his own head misses it already.
  private func missing(
    _ unseen: [AuthorID: Unseen], _ sets: [AuthorID: [DocumentReader.SetFile]]
  ) -> [Finding] {
    unseen.sorted { $0.key < $1.key }.compactMap { author, found in
      if let own = reader.newestHeads[author]?.set, own.sequence >= found.sequence,
        sets[author]?.contains(where: { $0.name == own }) != true
      {
        return nil
      }
      return Finding(
        .missingSet, path: found.path,
        message:
          "\(found.devices) \(found.devices.count == 1 ? "has" : "have") applied set \(found.sequence) of \(author), which is not there.",
        next: Finding.waiting(remote))
    }
  }
}
