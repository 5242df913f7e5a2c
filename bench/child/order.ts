/** What a child process can be asked, by name: each order takes one question and answers later. */
export type OrdersOf<Orders> = {
  readonly [Name in keyof Orders]: (question: never) => Promise<unknown>;
};

export type QuestionOf<Order> = Order extends (question: infer Question) => unknown
  ? Question
  : never;
export type AnswerOf<Order> = Order extends (question: never) => Promise<infer Answer>
  ? Answer
  : never;

/** Messages between parent and child. */
export interface Asked<Orders> {
  readonly number: number;
  readonly order: keyof Orders;
  readonly question: never;
}
export interface Answered {
  readonly number: number;
  readonly result?: unknown;
  readonly failure?: string;
}
