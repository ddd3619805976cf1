(* What every exported proof starts from: the functions of the statements, and lemmas that the scripts put together.
   No name of a symbol has an apostrophe, so none hides one of these names. *)
Require Import Reals Lra.
Open Scope R_scope.

Definition whole (x : R) : Prop := exists z : Z, x = IZR z.
Definition floor (x : R) : R := IZR (Int_part x).
Definition ceil (x : R) : R := - floor (- x).

(* Signs of sums, products, quotients and powers: p is "positive", n is "not negative", z is "zero". *)
Lemma number' (n : positive) : 0 < IZR (Z.pos n). Proof. now apply IZR_lt. Qed.
Lemma weak' {a : R} : 0 < a -> 0 <= a. Proof. intros; lra. Qed.
Lemma zero_weak' {a : R} : a = 0 -> 0 <= a. Proof. intros; lra. Qed.
Lemma add_pp' {a b : R} : 0 < a -> 0 < b -> 0 < a + b. Proof. intros; lra. Qed.
Lemma add_pn' {a b : R} : 0 < a -> 0 <= b -> 0 < a + b. Proof. intros; lra. Qed.
Lemma add_np' {a b : R} : 0 <= a -> 0 < b -> 0 < a + b. Proof. intros; lra. Qed.
Lemma add_nn' {a b : R} : 0 <= a -> 0 <= b -> 0 <= a + b. Proof. intros; lra. Qed.
Lemma add_zz' {a b : R} : a = 0 -> b = 0 -> a + b = 0. Proof. intros; lra. Qed.
Lemma mul_pp' {a b : R} : 0 < a -> 0 < b -> 0 < a * b. Proof. apply Rmult_lt_0_compat. Qed.
Lemma mul_nn' {a b : R} : 0 <= a -> 0 <= b -> 0 <= a * b. Proof. apply Rmult_le_pos. Qed.
Lemma mul_z' {a b : R} : a = 0 -> a * b = 0. Proof. intros ->; ring. Qed.
Lemma mul_anything_z' {a b : R} : b = 0 -> a * b = 0. Proof. intros ->; ring. Qed.
Lemma inverse_p' {a : R} : 0 < a -> 0 < / a. Proof. apply Rinv_0_lt_compat. Qed.
Lemma over_pp' {a b : R} : 0 < a -> 0 < b -> 0 < a / b. Proof. intros; now apply Rdiv_lt_0_compat. Qed.
Lemma over_np' {a b : R} : 0 <= a -> 0 < b -> 0 <= a / b.
Proof. intros; unfold Rdiv; apply Rmult_le_pos; [assumption | now apply weak', inverse_p']. Qed.
Lemma power_p' {a : R} (n : nat) : 0 < a -> 0 < a ^ n. Proof. apply pow_lt. Qed.
Lemma power_n' {a : R} (n : nat) : 0 <= a -> 0 <= a ^ n. Proof. apply pow_le. Qed.
Lemma even' {n : nat} (a : R) (k : nat) : n = (2 * k)%nat -> 0 <= a ^ n.
Proof. intros ->; rewrite pow_mult; apply pow_le, pow2_ge_0. Qed.
Lemma nonzero' {a : R} : 0 < a -> a <> 0. Proof. intros; lra. Qed.
Lemma nonzero_like' (a b : R) : a <> 0 -> b = a -> b <> 0. Proof. now intros H ->. Qed.

(* A sign known of a multiple. *)
Lemma scaled_p' {a m n : R} : 0 < m -> a * m = n -> 0 < n -> 0 < a.
Proof. intros Hm He Hn; apply (Rmult_lt_reg_r m); [exact Hm | now rewrite Rmult_0_l, He]. Qed.
Lemma scaled_n' {a m n : R} : 0 < m -> a * m = n -> 0 <= n -> 0 <= a.
Proof. intros Hm He Hn; apply (Rmult_le_reg_r m); [exact Hm | now rewrite Rmult_0_l, He]. Qed.
Lemma scaled_z' {a m n : R} : 0 < m -> a * m = n -> n = 0 -> a = 0.
Proof. intros Hm He Hn; apply (Rmult_eq_reg_r m); [now rewrite Rmult_0_l, He | now apply nonzero']. Qed.
Lemma negative_z' {a : R} : - a = 0 -> a = 0. Proof. intros; lra. Qed.
Lemma between_z' {a : R} : 0 <= a -> 0 <= - a -> a = 0. Proof. intros; lra. Qed.
Lemma minus_p' {a b : R} : a < b -> 0 < b - a. Proof. intros; lra. Qed.
Lemma minus_n' {a b : R} : a <= b -> 0 <= b - a. Proof. intros; lra. Qed.
Lemma minus_z' {a b : R} : a = b -> b - a = 0. Proof. intros; lra. Qed.
Lemma less_p' {a b : R} : 0 < b - a -> a < b. Proof. intros; lra. Qed.
Lemma less_n' {a b : R} : 0 <= b - a -> a <= b. Proof. intros; lra. Qed.
Lemma less_z' {a b : R} : b - a = 0 -> a = b. Proof. intros; lra. Qed.
Lemma at_most' {a b : R} : a < b -> a <= b. Proof. intros; lra. Qed.
Lemma same_at_most' {a b : R} : a = b -> a <= b. Proof. intros; lra. Qed.
Lemma at_least' {a b : R} : a <= b -> b >= a. Proof. intros; lra. Qed.
Lemma turned' {a b : R} : a >= b -> b <= a. Proof. intros; lra. Qed.

(* All the lemmas of a file, for one question of what they assume. *)
Inductive proofs' : Type := none' | more' {P : Prop} (proof : P) (others : proofs').

(* Whole numbers. *)
Lemma whole_number' (z : Z) : whole (IZR z). Proof. now exists z. Qed.
Lemma whole_add' {a b : R} : whole a -> whole b -> whole (a + b).
Proof. intros [x ->] [y ->]; exists (x + y)%Z; symmetry; apply plus_IZR. Qed.
Lemma whole_mul' {a b : R} : whole a -> whole b -> whole (a * b).
Proof. intros [x ->] [y ->]; exists (x * y)%Z; symmetry; apply mult_IZR. Qed.
Lemma whole_power' {a : R} (n : nat) : whole a -> whole (a ^ n).
Proof. intros [x ->]; exists (x ^ Z.of_nat n)%Z; apply pow_IZR. Qed.
Lemma whole_opposite' {a : R} : whole a -> whole (- a).
Proof. intros [x ->]; exists (- x)%Z; symmetry; apply opp_IZR. Qed.
Lemma whole_gap' {a : R} : whole a -> 0 < a + 1 -> 0 <= a.
Proof.
intros [x ->] H; apply IZR_le, Z.lt_succ_r, lt_IZR; unfold Z.succ; rewrite plus_IZR; exact H.
Qed.
Lemma whole_positive' {a : R} : whole a -> 0 < a -> 0 <= a - 1.
Proof.
intros H P; apply whole_gap'; [exact (whole_add' H (whole_number' (-1))) | lra].
Qed.

(* Calls: the value v of each is remembered by its definition. *)
Lemma floor_below' {u v : R} : v = floor u -> v <= u.
Proof. intros ->; unfold floor; destruct (base_Int_part u); lra. Qed.
Lemma floor_above' {u v : R} : v = floor u -> u < v + 1.
Proof. intros ->; unfold floor; destruct (base_Int_part u); lra. Qed.
Lemma floor_whole' {u v : R} : v = floor u -> whole v. Proof. intros ->; apply whole_number'. Qed.
Lemma floor_n' {u v : R} : v = floor u -> 0 <= u -> 0 <= v.
Proof.
intros E P; apply whole_gap'; [exact (floor_whole' E) | pose proof (floor_above' E); lra].
Qed.
Lemma ceil_above' {u v : R} : v = ceil u -> u <= v.
Proof. intros ->; pose proof (floor_below' (eq_refl (floor (- u)))); unfold ceil; lra. Qed.
Lemma ceil_below' {u v : R} : v = ceil u -> v < u + 1.
Proof. intros ->; pose proof (floor_above' (eq_refl (floor (- u)))); unfold ceil; lra. Qed.
Lemma ceil_whole' {u v : R} : v = ceil u -> whole v.
Proof. intros ->; apply whole_opposite', whole_number'. Qed.
Lemma ceil_n' {u v : R} : v = ceil u -> 0 <= u -> 0 <= v. Proof. intros E P; pose proof (ceil_above' E); lra. Qed.
Lemma ceil_one' {u v : R} : v = ceil u -> 0 < u -> 0 <= v - 1.
Proof.
intros E P; apply whole_positive'; [exact (ceil_whole' E) | pose proof (ceil_above' E); lra].
Qed.
Lemma one_p' {a : R} : 0 <= a - 1 -> 0 < a. Proof. intros; lra. Qed.
Lemma one_n' {a : R} : 1 <= a -> 0 <= a - 1. Proof. intros; lra. Qed.

Lemma max_first' {a b : R} : a <= Rmax a b. Proof. apply Rmax_l. Qed.
Lemma max_last' {a b : R} : b <= Rmax a b. Proof. apply Rmax_r. Qed.
Lemma max_later' {a b c : R} : c <= b -> c <= Rmax a b. Proof. intros; pose proof (Rmax_r a b); lra. Qed.
Lemma max_is' (a b : R) : Rmax a b = a \/ Rmax a b = b. Proof. unfold Rmax; destruct Rle_dec; auto. Qed.
Lemma min_first' {a b : R} : Rmin a b <= a. Proof. apply Rmin_l. Qed.
Lemma min_last' {a b : R} : Rmin a b <= b. Proof. apply Rmin_r. Qed.
Lemma min_later' {a b c : R} : b <= c -> Rmin a b <= c. Proof. intros; pose proof (Rmin_r a b); lra. Qed.
Lemma min_is' (a b : R) : Rmin a b = a \/ Rmin a b = b. Proof. unfold Rmin; destruct Rle_dec; auto. Qed.
Lemma max_value' {u v a : R} : v = u -> a <= u -> a <= v. Proof. now intros ->. Qed.
Lemma min_value' {u v a : R} : v = u -> u <= a -> v <= a. Proof. now intros ->. Qed.

Lemma above_p' {u v : R} : u <= v -> 0 < u -> 0 < v. Proof. intros; lra. Qed.
Lemma above_n' {u v : R} : u <= v -> 0 <= u -> 0 <= v. Proof. intros; lra. Qed.
Lemma min_p' {a b : R} : 0 < a -> 0 < b -> 0 < Rmin a b. Proof. intros; destruct (min_is' a b); lra. Qed.
Lemma min_n' {a b : R} : 0 <= a -> 0 <= b -> 0 <= Rmin a b. Proof. intros; destruct (min_is' a b); lra. Qed.
Lemma named_p' {u v : R} : v = u -> 0 < u -> 0 < v. Proof. now intros ->. Qed.
Lemma named_n' {u v : R} : v = u -> 0 <= u -> 0 <= v. Proof. now intros ->. Qed.

Lemma sqrt_fact' {u v : R} : v = sqrt u -> 0 <= u -> v ^ 2 = u.
Proof. intros ->; apply pow2_sqrt. Qed.
Lemma sqrt_n' {u v : R} : v = sqrt u -> 0 <= v. Proof. intros ->; apply sqrt_pos. Qed.
Lemma sqrt_p' {u v : R} : v = sqrt u -> 0 < u -> 0 < v. Proof. intros ->; apply sqrt_lt_R0. Qed.
Lemma power_value_p' {u w v : R} : v = Rpower u w -> 0 < v.
Proof. intros ->; apply exp_pos. Qed.
Lemma power_fact' {u w v : R} (p q : nat) : v = Rpower u w -> 0 < u -> w * INR q = INR p -> v ^ q = u ^ p.
Proof.
intros -> P E; rewrite <- (Rpower_pow q), Rpower_mult, E by apply exp_pos; now apply Rpower_pow.
Qed.
Lemma power_fact_below' {u w v : R} (p q : nat) :
  v = Rpower u w -> 0 < u -> w * INR q = - INR p -> v ^ q = / u ^ p.
Proof.
intros -> P E; rewrite <- (Rpower_pow q), Rpower_mult, E by apply exp_pos.
now rewrite Rpower_Ropp, Rpower_pow.
Qed.

(* What `field` leaves: divisors that are not zero, by how they are built or as one that the script has shown before. *)
Ltac built' :=
  match goal with
  | |- 0 < _ + _ => apply add_pp'; built'
  | |- 0 < _ * _ => apply mul_pp'; built'
  | |- 0 < _ ^ _ => apply power_p'; built'
  | |- 0 < IZR _ => apply number'
  | |- _ => assumption
  end.
Ltac divisor' :=
  first [ assumption
        | apply nonzero'; built'
        | match goal with known : ?p <> 0 |- ?e <> 0 => apply (nonzero_like' p e known); ring end
        | lra ].
Ltac fractions' := field; repeat split; divisor'.
