/// A column of a summary.
public typealias SummaryColumn<Object: ManagedObject, Value> = FetchExpression<GroupOf<Object>, Value>

// One function for each number of columns: the compiler does not find the types of key paths inside of parameter packs.
extension FetchRequest where Object: ManagedObject {
  /// Rows of one column computed from the objects that the request is about; see ``SummaryRequest``.
  ///
  /// Order, limit and offset of the request itself have no effect; those of the summary count rows.
  public func summarized<V1>(
    by c1: SummaryColumn<Object, V1>
  ) -> SummaryRequest<Object, V1> {
    SummaryRequest(request: self, columns: [c1.operand]) { row, store in
      c1.decode(row[0], store)
    }
  }

  /// Rows of two columns computed from the objects that the request is about; see ``SummaryRequest``.
  public func summarized<V1, V2>(
    by c1: SummaryColumn<Object, V1>, _ c2: SummaryColumn<Object, V2>
  ) -> SummaryRequest<Object, (V1, V2)> {
    SummaryRequest(request: self, columns: [c1.operand, c2.operand]) { row, store in
      (c1.decode(row[0], store), c2.decode(row[1], store))
    }
  }

  /// Rows of three columns computed from the objects that the request is about; see ``SummaryRequest``.
  public func summarized<V1, V2, V3>(
    by c1: SummaryColumn<Object, V1>, _ c2: SummaryColumn<Object, V2>, _ c3: SummaryColumn<Object, V3>
  ) -> SummaryRequest<Object, (V1, V2, V3)> {
    SummaryRequest(request: self, columns: [c1.operand, c2.operand, c3.operand]) { row, store in
      (c1.decode(row[0], store), c2.decode(row[1], store), c3.decode(row[2], store))
    }
  }

  /// Rows of four columns computed from the objects that the request is about; see ``SummaryRequest``.
  public func summarized<V1, V2, V3, V4>(
    by c1: SummaryColumn<Object, V1>, _ c2: SummaryColumn<Object, V2>, _ c3: SummaryColumn<Object, V3>,
    _ c4: SummaryColumn<Object, V4>
  ) -> SummaryRequest<Object, (V1, V2, V3, V4)> {
    SummaryRequest(request: self, columns: [c1.operand, c2.operand, c3.operand, c4.operand]) { row, store in
      (c1.decode(row[0], store), c2.decode(row[1], store), c3.decode(row[2], store), c4.decode(row[3], store))
    }
  }

  /// Rows of five columns computed from the objects that the request is about; see ``SummaryRequest``.
  public func summarized<V1, V2, V3, V4, V5>(
    by c1: SummaryColumn<Object, V1>, _ c2: SummaryColumn<Object, V2>, _ c3: SummaryColumn<Object, V3>,
    _ c4: SummaryColumn<Object, V4>, _ c5: SummaryColumn<Object, V5>
  ) -> SummaryRequest<Object, (V1, V2, V3, V4, V5)> {
    SummaryRequest(request: self, columns: [c1.operand, c2.operand, c3.operand, c4.operand, c5.operand]) {
      row, store in
      (
        c1.decode(row[0], store), c2.decode(row[1], store), c3.decode(row[2], store),
        c4.decode(row[3], store), c5.decode(row[4], store)
      )
    }
  }

  /// Rows of six columns computed from the objects that the request is about; see ``SummaryRequest``.
  public func summarized<V1, V2, V3, V4, V5, V6>(
    by c1: SummaryColumn<Object, V1>, _ c2: SummaryColumn<Object, V2>, _ c3: SummaryColumn<Object, V3>,
    _ c4: SummaryColumn<Object, V4>, _ c5: SummaryColumn<Object, V5>, _ c6: SummaryColumn<Object, V6>
  ) -> SummaryRequest<Object, (V1, V2, V3, V4, V5, V6)> {
    SummaryRequest(
      request: self, columns: [c1.operand, c2.operand, c3.operand, c4.operand, c5.operand, c6.operand]
    ) { row, store in
      (
        c1.decode(row[0], store), c2.decode(row[1], store), c3.decode(row[2], store),
        c4.decode(row[3], store), c5.decode(row[4], store), c6.decode(row[5], store)
      )
    }
  }
}
